import type { PodRow } from '../../src/stream/messages.ts';

/** How well something is: it decides color and sign. */
export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'idle';

/** Signs beside words, so that no meaning depends on color alone. */
export const SIGNS: Readonly<Record<Tone, string>> = { ok: '●', busy: '◔', warn: '◆', bad: '▲', idle: '○' };

const DONE = ['Succeeded', 'Completed'];
const STARTING = ['Pending', 'ContainerCreating', 'PodInitializing', 'Pulling', 'SchedulingGated'];
const ENDING = ['Terminating', 'NotReady'];

/** Returns the tone of a pod. */
export function podTone({ status, ready }: Pick<PodRow, 'status' | 'ready'>): Tone {
  if (DONE.includes(status)) return 'idle';
  if (ENDING.includes(status)) return 'warn';
  if (STARTING.includes(status) || /^Init:\d+\/\d+$/.test(status)) return 'busy';
  if (status !== 'Running') return 'bad';
  const [some, all] = ready.split('/');
  return some === all ? 'ok' : 'warn';
}
