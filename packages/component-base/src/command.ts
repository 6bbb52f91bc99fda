export { createConsoleLogger } from './command/console-logger.ts';
export { type CommandIo, runCommand } from './command/run-command.ts';
export {
  exitOnFatalErrors,
  type FatalErrorOptions,
  type FatalErrorPorts,
  type FatalErrorProcess,
} from './fatal-errors.ts';
