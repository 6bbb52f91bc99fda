import type { Answer } from '../../vector-kind.ts';
import { withoutArtefacts } from './artefacts.ts';
import { type EventStream, eventStream, withRepeatsOf } from './event-stream.ts';
import { findPhase } from './phases.ts';
import type { ApiRequest, Recording } from './recording.ts';
import { type RequestStreams, requestStreams } from './streams.ts';

/** Prepares the requests of the agent and of a kubelet for a comparison. What is left out is listed in docs/differences.md. */
export function comparableRequests(recording: Recording, got: readonly ApiRequest[]): Answer {
  const { concerns, expected = same, sent = same } = findPhase(recording);
  const ours = requestStreams(sent(got));
  const theirs = requestStreams(expected(withoutArtefacts(recording.requests)));
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].filter(
    (name) => concerns?.test(name) !== false,
  );
  const pairs = names.map((name) => [name, ...comparableStreams(name, ours, theirs)] as const);
  return {
    got: Object.fromEntries(pairs.map(([name, mine]) => [name, mine])),
    want: Object.fromEntries(pairs.map(([name, , other]) => [name, other])),
  };
}

function comparableStreams(name: string, ours: RequestStreams, theirs: RequestStreams): readonly [unknown, unknown] {
  const [mine, other] = [ours[name] ?? [], theirs[name] ?? []];
  if (name.startsWith('watch ')) {
    // After a failure, watches return one after the other, some only after the end of the recording.
    const length = Math.min(mine.length, other.length);
    return length === 0 ? [mine, other] : [mine.slice(0, length), other.slice(0, length)];
  }
  if (!name.startsWith('events of ')) return [mine, other];
  const [sent, want] = [eventStream(mine), eventStream(other)];
  if (name === 'events of node1') return [anyOrder(sent), anyOrder(want)];
  return [withRepeatsOf(sent, want), want];
}

/** Parts of a node start at the same time. */
function anyOrder(stream: EventStream): EventStream {
  return {
    ...stream,
    events: stream.events.toSorted((left, right) => (JSON.stringify(left.body) < JSON.stringify(right.body) ? -1 : 1)),
  };
}

function same(requests: readonly ApiRequest[]): readonly ApiRequest[] {
  return requests;
}
