import { checkNode } from '../check/check-node.ts';
import type { AgentSettings } from '../config/load-settings.ts';
import { findingLines, findingSummary } from '../output/finding-lines.ts';
import { CommandExitError } from './streams/command-exit-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs `rxlet check`: prints whether this machine is fit to be a node with the given settings.
 * @throws CommandExitError with exit code 1 when it is not
 */
export async function printCheck(settings: AgentSettings, terminal: Terminal, isJson: boolean): Promise<void> {
  const findings = await checkNode(settings, terminal.signal);
  if (isJson) terminal.print(JSON.stringify(findings, undefined, 2));
  else terminal.print([...findingLines(findings, terminal.colors), findingSummary(findings)].join('\n'));
  if (findings.some(({ level }) => level === 'error')) throw new CommandExitError(1, '');
}

/**
 * Checks the machine before an agent starts (`--check`), and prints what is not in order.
 * @throws CommandExitError with exit code 1 when the machine is not fit
 */
export async function checkBeforeStart(settings: AgentSettings, terminal: Terminal): Promise<void> {
  const findings = await checkNode(settings, terminal.signal);
  const problems = findings.filter(({ level }) => level !== 'ok');
  if (problems.length > 0) terminal.printError(findingLines(problems, false).join('\n'));
  if (problems.some(({ level }) => level === 'error')) throw new CommandExitError(1, findingSummary(findings));
}
