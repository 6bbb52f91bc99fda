import type { Occurrence, Sent } from './event-occurrence.ts';

/** Number of distinct messages from which a recorder combines similar events, and the pause after which it begins again. */
const COMBINED_FROM = 10;
const SIMILAR_WITHIN_MS = 600_000;

/** Bound of the search in one group; a few dozen are usual. */
const MAX_STATES = 20_000;

/** A possible state of a recorder for the events of one object, type and reason. */
interface State {
  /** The remembered messages in their order. */
  readonly remembered: readonly string[];
  /** Occurrences by message; combined ones under {@link COMBINED}. */
  readonly counts: ReadonlyMap<string, number>;
  /** The choices that lead to this state, the latest first. */
  readonly choices: Choices | undefined;
}

interface Choices {
  readonly occurrence: number;
  readonly position: number;
  readonly earlier: Choices | undefined;
}

const COMBINED = '';

/**
 * Finds choices of dropped messages by which a recorder returns the expected answers. It follows, for each object, type and reason, all states that agree
 * with the answers so far.
 *
 * @returns for each occurrence that had one message too many, the position of the dropped one; choices are missing where none fit
 */
export function findForgotten(input: readonly Occurrence[], want: readonly Sent[]): ReadonlyMap<number, number> {
  const groups = Map.groupBy(input.keys(), (index) => {
    const { object, type, reason } = input[index]!;
    return `${object} ${type} ${reason}`;
  });
  const found = new Map<number, number>();
  for (const group of groups.values()) {
    for (let choice = follow(group, input, want); choice !== undefined; choice = choice.earlier) {
      found.set(choice.occurrence, choice.position);
    }
  }
  return found;
}

function follow(group: readonly number[], input: readonly Occurrence[], want: readonly Sent[]): Choices | undefined {
  let states: readonly State[] = [{ remembered: [], counts: new Map(), choices: undefined }];
  let lastMs = 0;
  for (const [step, occurrence] of group.entries()) {
    const { atMs, message } = input[occurrence]!;
    const isNew = atMs - lastMs > SIMILAR_WITHIN_MS;
    lastMs = atMs;
    const later = group.slice(step + 1);
    const next = new Map<string, State>();
    for (const state of states) {
      const before = isNew ? [] : state.remembered;
      for (const reached of successors({ ...state, remembered: before }, occurrence, message, later, input)) {
        if (!agrees(reached, message, want[occurrence]!)) continue;
        const key = keyOf(reached, later, input, want);
        if (!next.has(key) && next.size < MAX_STATES) next.set(key, reached);
      }
    }
    if (next.size === 0) return states[0]?.choices;
    states = [...next.values()];
  }
  return states[0]?.choices;
}

type Reached = State & { readonly isCombined: boolean };

function successors(
  { remembered, counts, choices }: State,
  occurrence: number,
  message: string,
  later: readonly number[],
  input: readonly Occurrence[],
): readonly Reached[] {
  const messages = remembered.includes(message) ? remembered : [...remembered, message];
  const isCombined = messages.length >= COMBINED_FROM;
  const counted = isCombined ? COMBINED : message;
  const nextCounts = new Map(counts).set(counted, (counts.get(counted) ?? 0) + 1);
  if (!isCombined) return [{ remembered: messages, counts: nextCounts, choices, isCombined }];

  const reached: Reached[] = [];
  // Messages that do not occur again are interchangeable: one of them represents all.
  let hasUnused = false;
  for (const [position, candidate] of messages.entries()) {
    const isUnused = !later.some((index) => input[index]!.message === candidate);
    if (isUnused && hasUnused) continue;
    hasUnused ||= isUnused;
    reached.push({
      remembered: messages.toSpliced(position, 1),
      counts: nextCounts,
      choices: { occurrence, position, earlier: choices },
      isCombined,
    });
  }
  return reached;
}

function agrees({ isCombined, counts }: Reached, message: string, sent: Sent): boolean {
  if (sent.skip) return true;
  if ((sent.message !== message) !== isCombined) return false;
  return counts.get(isCombined ? COMBINED : message) === sent.count;
}

/** Key that is equal for states with the same further answers. */
function keyOf(
  { remembered, counts }: State,
  later: readonly number[],
  input: readonly Occurrence[],
  want: readonly Sent[],
): string {
  const toCome = new Set(later.map((index) => input[index]!.message));
  const toBeSent = new Set(later.filter((index) => !want[index]!.skip).map((index) => input[index]!.message));
  const used = remembered.map((message) => (toCome.has(message) ? message : '*')).sort();
  const relevant = [...counts].filter(
    ([message]) => toBeSent.has(message) || (message === COMBINED && toBeSent.size > 0),
  );
  return JSON.stringify([used, relevant.sort()]);
}
