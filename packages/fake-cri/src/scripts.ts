export { BehaviourScriptError, parseBehaviourScript } from './scripts/parse-behaviour-script.ts';
export type {
  Behaviour,
  BehaviourScript,
  Phase,
  ScriptedExec,
  ScriptedExecResult,
  ScriptedLog,
  ScriptedPort,
  ScriptedResponse,
  ScriptedUsage,
} from './scripts/script.ts';
export { SCRIPT_ANNOTATION_PREFIX, type ScriptTarget } from './scripts/script-store.ts';
