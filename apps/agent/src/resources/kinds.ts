import { UsageError } from '../config/config-error.ts';
import { events } from './events.ts';
import { manifests } from './manifests.ts';
import { nodes } from './nodes.ts';
import { pods } from './pods.ts';
import type { ResourceKind } from './resource-kind.ts';

/** All kinds that `get` lists. */
export const RESOURCE_KINDS: readonly ResourceKind[] = [pods, events, nodes, manifests];

/** Objects that were typed: all of a kind, or those with names. */
export interface Target {
  readonly kind: ResourceKind;
  /** Empty: all. */
  readonly names: readonly string[];
}

/**
 * Reads the words after `get` and the like, as kubectl does: `pods`, `po web db`, `pod/web node/node1`, `pods,events`.
 * @throws UsageError for a kind that the agent does not have, and for mixed forms
 */
export function parseTargets(words: readonly string[]): readonly Target[] {
  const [first = '', ...names] = words;
  if (first.includes('/')) {
    const targets = words.map((word) => {
      const [kind = '', name = '', ...more] = word.split('/');
      if (kind === '' || name === '' || more.length > 0)
        throw new UsageError(`arguments in resource/name form must have a single resource and name: "${word}"`);
      return { kind: findKind(kind), names: [name] };
    });
    return targets
      .filter(({ kind }, index) => targets.findIndex((each) => each.kind === kind) === index)
      .map(({ kind }) => ({ kind, names: targets.filter((each) => each.kind === kind).flatMap((each) => each.names) }));
  }
  const mixed = names.find((name) => name.includes('/'));
  if (mixed !== undefined)
    throw new UsageError(
      `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form: "${first} ${mixed}"`,
    );
  return first.split(',').map((kind) => ({ kind: findKind(kind), names }));
}

function findKind(typed: string): ResourceKind {
  const name = typed.toLowerCase();
  const found = name === 'all' ? pods : RESOURCE_KINDS.find(({ names }) => names.includes(name));
  if (found !== undefined) return found;
  const known = RESOURCE_KINDS.map(({ names: [plural] }) => plural).join(', ');
  throw new UsageError(
    `an agent has no "${typed}": it has ${known}. Other kinds are in the API server of a cluster: use kubectl`,
  );
}
