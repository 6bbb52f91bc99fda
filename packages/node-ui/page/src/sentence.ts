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
  const wait =
    waits.findLast(({ kind, container }) => container !== undefined && kind !== 'container.readiness') ?? waits.at(-1);
  const failure = life.spans.findLast(({ outcome }) => outcome?.result === 'failed');
  if (wait === undefined)
    return {
      text:
        row === undefined ? 'The node cleans up after this pod.' : `The pod waits for nothing: it is ${row.status}.`,
    };
  const until = wait.attributes?.['untilMs'];
  const next = typeof until === 'number' && until > nowMs ? ` Next try in ${formatAge(until - nowMs)}.` : '';
  return {
    text: `${wait.container === undefined ? 'The pod' : `Container ${wait.container}`} ${phraseOf(wait)}, for ${formatAge(nowMs - wait.startMs)}.${next}`,
    ...detailOf(wait, failure),
  };
}

/** Words for what a pod waits for; other kinds are shown by their names. */
const PHRASES: Readonly<Record<string, string>> = {
  'admission.queue': 'waits for its admission',
  'pod.predecessor': 'waits for the end of the pod before it',
  'pod.retry': 'waits for the next try of its step',
  'sync.backoff': 'waits before the next try',
  'volume.attach': 'attaches the volume',
  'volume.mount': 'mounts the volume',
  'sandbox.create': 'creates the sandbox',
  'image.queue': 'waits in the queue of image pulls with',
  'image.pull': 'pulls the image',
  'image.backoff': 'backs off from pulling the image',
  'container.create': 'creates the container',
  'container.start': 'starts the container',
  'container.post-start': 'runs the postStart hook',
  'container.backoff': 'backs off from restarting the container',
  'container.init': 'runs its init container',
  'container.startup': 'waits for the startup probe',
  'container.readiness': 'is not ready',
  'container.pre-stop': 'runs the preStop hook',
  'container.stop': 'stops the container',
  'volume.unmount': 'unmounts the volume',
};

function phraseOf(span: JournalSpan): string {
  const phrase = PHRASES[span.kind];
  if (phrase === undefined) return `waits for ${titleOf(span)}`;
  return span.subject === undefined ? phrase : `${phrase} ${span.subject}`;
}

/** The last failure, or else the reason that the wait itself has. */
function detailOf({ attributes = {} }: JournalSpan, failure: JournalSpan | undefined): Pick<Sentence, 'detail'> {
  if (failure?.outcome?.message !== undefined) return { detail: describeFailure(failure) };
  const { message } = attributes;
  return typeof message === 'string' ? { detail: message } : {};
}

function describeFailure({ outcome }: JournalSpan): string {
  const { reason, code, message = '' } = outcome ?? {};
  return [...(reason === undefined ? [] : [reason]), ...(code === undefined ? [] : [code]), message].join(' · ');
}
