/*!
What lets a run go on after it was stopped: the run folder and who may write to it ([`folder`]), the list of all
that was read ([`catalogue`]), pages read again by it ([`reread`]), and the results so far ([`journal`]).
*/

pub(crate) mod catalogue;
pub(crate) mod folder;
pub(crate) mod journal;
pub(crate) mod reread;
