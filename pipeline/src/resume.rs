/*!
Lets a run resume after it was stopped: the run folder and its lock ([`folder`]), and what
identifies a run ([`identity`], [`finished`]).
*/

pub(crate) mod finished;
pub(crate) mod folder;
pub(crate) mod identity;
