import type { Pod } from '@rxlet/kube-api';
import type { HintProvider, NumaHint, ResourceHints } from '@rxlet/agent-api/topology';
import {
  admitPod,
  createTopologyPolicy,
  mergeHints,
  type TopologyPolicy,
  TopologyPolicyError,
} from '@rxlet/topology-manager';
import { podContainers } from '@rxlet/pod-model';
import type { Answer } from '../vector-kind.ts';
import { fromHint, toAffinity, type WantedHint } from './resource-operations.ts';

type RecordedHints = Readonly<Record<string, readonly WantedHint[] | null>> | null;

interface TopologyManagerVector {
  readonly input: {
    readonly numaNodes: readonly { readonly numaNode: number; readonly distances?: readonly number[] }[];
    readonly policy: string;
    readonly scope?: string;
    readonly policyOptions?: Readonly<Record<string, string>>;
    readonly providers?: readonly RecordedHints[];
    readonly pod?: Pod;
    readonly hintProviders?: readonly RecordedProvider[];
  };
  readonly want: object;
}

interface RecordedProvider {
  readonly containers?: Readonly<Record<string, RecordedHints>>;
  readonly pod?: RecordedHints;
  readonly allocateError?: Readonly<Record<string, string>>;
}

/** Merges hints, or admits a pod. */
export async function run({ input, want }: TopologyManagerVector): Promise<Answer> {
  return { got: await answer(input), want };
}

async function answer(input: TopologyManagerVector['input']): Promise<object> {
  let policy: TopologyPolicy;
  try {
    policy = createTopologyPolicy({
      policy: input.policy,
      scope: input.scope ?? 'container',
      options: input.policyOptions ?? {},
      numaNodes: input.numaNodes.map(({ numaNode, distances }) => ({ id: numaNode, distances })),
    });
  } catch (error) {
    if (error instanceof TopologyPolicyError) return { error: true };
    throw error;
  }
  if (input.pod !== undefined) return admission(policy, input.pod, input.hintProviders ?? []);
  const { hint, isAdmitted } = mergeHints(policy, (input.providers ?? []).map(toHints));
  return { hint: fromHint(hint), admit: isAdmitted };
}

async function admission(policy: TopologyPolicy, pod: Pod, recorded: readonly RecordedProvider[]): Promise<object> {
  const allocateCalls: string[] = [];
  const providers = recorded.map(({ containers = {}, pod: ofPod = null, allocateError = {} }, index): HintProvider => ({
    containerHints: (_, { name }) => toHints(containers[name] ?? null),
    podHints: () => toHints(ofPod),
    allocate: (_, { name }) => {
      allocateCalls.push(`${String(index)}:${name}`);
      const message = allocateError[name];
      return message === undefined ? undefined : { message };
    },
  }));
  const { rejection, affinities } = await admitPod(policy, pod, providers);
  const unset: NumaHint = { numaNodes: undefined, isPreferred: false };
  const affinity = Object.fromEntries(
    podContainers(pod, ['init', 'regular']).map(({ container: { name } }) => [
      name,
      fromHint(affinities.get(name) ?? unset),
    ]),
  );
  return { admit: rejection === undefined, ...rejection, affinity, allocateCalls };
}

function toHints(recorded: RecordedHints): ResourceHints | undefined {
  if (recorded === null) return undefined;
  return Object.fromEntries(Object.entries(recorded).map(([resource, hints]) => [resource, hints?.map(toAffinity)]));
}
