import type { JournalSpan, Life } from '@rxlet/journal/model';
import type { PodRow } from '../../src/stream/messages.ts';
import { formatAge, formatDuration } from './age.ts';
import { titleOf } from './timeline/lanes.ts';

/** Present of a pod in words, and its last failure. */
export interface Sentence {
  readonly text: string;
  readonly detail?: string;
}

/** Spans that last as long as a pod is fine. */
const PHASE = /^pod(?:$|\.(?:sync|terminate|clean-up|admit)$)/;

/** Returns the sentence on top of a pod: what it waits for since when, and the last failure. */
export function sentenceOf(row: PodRow | undefined, life: Life | undefined, nowMs: number): Sentence {
  if (life === undefined) return { text: row === undefined ? 'This pod is not on the node.' : row.status };
  if (life.endMs !== undefined)
    return {
      text: `This pod is gone since ${formatAge(nowMs - life.endMs)}. It was on the node for ${formatDuration(life.endMs - life.startMs)}.`,
    };
  const waits = life.spans.filter(({ kind, endMs }) => endMs === undefined && !PHASE.test(kind));
  const wait = waits.findLast(({ kind }) => !kind.startsWith('container.readiness')) ?? waits.at(-1);
  const failure = life.spans.findLast(({ outcome }) => outcome?.result === 'failed');
  if (wait === undefined)
    return {
      text:
        row === undefined ? 'The node cleans up after this pod.' : `The pod waits for nothing: it is ${row.status}.`,
    };
  const until = wait.attributes?.['untilMs'];
  const next = typeof until === 'number' && until > nowMs ? ` Next try in ${formatAge(until - nowMs)}.` : '';
  return {
    text: `Waits for ${wait.container === undefined ? '' : `${wait.container}: `}${titleOf(wait)}, since ${formatAge(nowMs - wait.startMs)}.${next}`,
    ...(failure?.outcome?.message !== undefined && { detail: describeFailure(failure) }),
  };
}

function describeFailure({ outcome }: JournalSpan): string {
  const { reason, code, message = '' } = outcome ?? {};
  return [...(reason === undefined ? [] : [reason]), ...(code === undefined ? [] : [code]), message].join(' · ');
}
