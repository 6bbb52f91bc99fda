export { createConsoleLogger } from './command/console-logger.ts';
export { type CommandIo, runCommand } from './command/run-command.ts';
