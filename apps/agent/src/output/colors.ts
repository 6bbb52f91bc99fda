/** Meaning of a cell, which its colour shows. */
export type Tone = 'good' | 'busy' | 'bad';

/** When output is coloured (`--color`). */
export type ColorChoice = 'auto' | 'always' | 'never';

const SGR: Readonly<Record<Tone, number>> = { good: 32, busy: 33, bad: 31 };

/** Colours a text. */
export function painted(text: string, tone: Tone): string {
  return `\u001b[${String(SGR[tone])}m${text}\u001b[0m`;
}

/** Decides whether output is coloured: by the flag, else on a terminal, unless `NO_COLOR` is set or the terminal has no colours. */
export function usesColors(
  choice: ColorChoice,
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (choice !== 'auto') return choice === 'always';
  return isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}

const GOOD: ReadonlySet<string> = new Set(['Running', 'Completed', 'Succeeded']);
const BUSY =
  /^(?:Pending|ContainerCreating|PodInitializing|Terminating|NotReady|Init:\d+\/\d+|Deleted|Unknown|SchedulingGated)$/;

/** Returns the meaning of a pod's STATUS. */
export function toneOfStatus(word: string): Tone {
  if (GOOD.has(word)) return 'good';
  return BUSY.test(word) ? 'busy' : 'bad';
}
