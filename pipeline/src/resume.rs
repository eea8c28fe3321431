/*!
Lets a run resume after it was stopped: the run folder and its lock ([`folder`]), what
identifies a run ([`identity`], [`finished`]), the list of everything that was read
([`catalogue`]), pages that are read again from it ([`reread`]), and the results so far ([`journal`]).
*/

pub(crate) mod catalogue;
pub(crate) mod finished;
pub(crate) mod folder;
pub(crate) mod identity;
pub(crate) mod journal;
pub(crate) mod reread;
