export {
  type CommandLine,
  parseCommandLine,
  type ParsedCommandLine,
  parseHostPort,
  runParsed,
  USAGE_ERROR,
} from './command/command-line.ts';
export { createConsoleLogger } from './command/console-logger.ts';
export { type CommandIo, runCommand } from './command/run-command.ts';
export {
  exitOnFatalErrors,
  type FatalErrorOptions,
  type FatalErrorPorts,
  type FatalErrorProcess,
} from './fatal-errors.ts';
