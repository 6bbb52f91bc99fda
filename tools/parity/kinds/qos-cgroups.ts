import { otherPods } from '@rxlet/agent-api';
import { createLifetime, type Lifetime, noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import {
  type Enforcement,
  type ManagedCgroups,
  manageCgroups,
  parseReservation,
  QosReservedError,
} from '@rxlet/container-manager';
import { createMemoryCgroups, type MemoryCgroups } from '@rxlet/container-manager/testing';
import type { Pod } from '@rxlet/kube-api';
import { parseQuantity } from '@rxlet/pod-model/quantity';
import type { Answer } from '../vector-kind.ts';

type Amounts = Readonly<Record<string, string>>;

interface QosCgroupsVector {
  readonly input: {
    readonly cgroup: 'v1' | 'v2';
    readonly capacity: Amounts;
    readonly pidCapacity: string;
    readonly cpus: string;
    readonly cpuManagerPolicy: string;
    readonly cpuCFSQuota: boolean;
    readonly cpuCFSQuotaPeriodUs: number;
    readonly enforceNodeAllocatable: readonly Enforcement[] | null;
    readonly featureGates?: Readonly<Record<string, boolean>>;
    readonly kubeReserved?: Amounts;
    readonly kubeReservedCgroup?: string;
    readonly systemReserved?: Amounts;
    readonly systemReservedCgroup?: string;
    readonly memoryReservationPolicy: 'None' | 'TieredReservation';
    readonly memoryUsage?: Readonly<Record<string, number>>;
    readonly missingCgroups?: readonly string[];
    readonly podPidsLimit: number;
    readonly pods: readonly Pod[] | null;
    readonly qosReserved?: Amounts;
  };
  readonly want: {
    readonly error?: string;
    readonly files?: Readonly<Record<string, Amounts>>;
    readonly events?: readonly string[];
    readonly enforceError?: true;
    readonly updateError?: true;
    readonly podError?: true;
  };
}

type QosCgroupsAnswer = Omit<QosCgroupsVector['want'], 'error'> & { readonly error?: true };

/** Creates and enforces node allocatable, creates the cgroups of the pods, and updates those of the QoS classes. */
export async function run({ input, want }: QosCgroupsVector): Promise<Answer> {
  const { error, ...rest } = want;
  return { got: await answer(input), want: { ...rest, ...(error !== undefined && { error: true }) } };
}

async function answer(input: QosCgroupsVector['input']): Promise<QosCgroupsAnswer> {
  const cgroups = memoryCgroups(input);
  const events: string[] = [];
  await using lifetime = createLifetime();
  let managed;
  try {
    managed = await manage(input, cgroups, events, lifetime);
  } catch (error) {
    if (error instanceof QosReservedError) return { error: true };
    throw error;
  }
  const enforceError = await failed(managed.enforceReserved());
  let podError = false;
  for (const pod of input.pods ?? []) podError = (await failed(managed.pods.ensure(pod))) || podError;
  const updateError = await failed(managed.qos.update());
  const failures = { enforceError, podError, updateError };
  const flags = Object.fromEntries(Object.entries(failures).filter(([, hasFailed]) => hasFailed));
  return { ...flags, events: events.sort(), files: filesOf(cgroups) };
}

/** Reports whether the work fails. */
function failed(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  );
}

function memoryCgroups(input: QosCgroupsVector['input']): MemoryCgroups {
  const { kubeReservedCgroup, systemReservedCgroup, missingCgroups = [], memoryUsage = {} } = input;
  const existing = [kubeReservedCgroup, systemReservedCgroup].filter(
    (path) => path !== undefined && !missingCgroups.includes(path),
  );
  const cgroups = createMemoryCgroups({ version: input.cgroup === 'v1' ? 1 : 2, existing: existing as string[] });
  for (const [path, bytes] of Object.entries(memoryUsage)) cgroups.setMemoryUsage(path, bytes);
  return cgroups;
}

function manage(
  input: QosCgroupsVector['input'],
  cgroups: MemoryCgroups,
  events: string[],
  lifetime: Lifetime,
): Promise<ManagedCgroups> {
  const { capacity, pidCapacity, cpus, featureGates = {} } = input;
  const amounts = Object.entries({ ...capacity, pid: pidCapacity }).map(
    ([name, text]) => [name, parseQuantity(text)] as const,
  );
  return manageCgroups(
    {
      openCgroups: async () => cgroups,
      sumOfActivePods: (amountsOf, name) => otherPods(input.pods ?? []).sum(amountsOf, name),
      clock: createVirtualClock(),
      events: { event: (_object, _type, reason) => void events.push(reason) },
      logger: noopLogger,
    },
    {
      ...input,
      nodeName: 'node1',
      rootDirectory: '/var/lib/kubelet',
      enforceNodeAllocatable: input.enforceNodeAllocatable ?? [],
      cpuCfsQuota: input.cpuCFSQuota,
      cpuCfsQuotaPeriodUs: input.cpuCFSQuotaPeriodUs,
      assignAllCpus: input.cpuManagerPolicy === 'none',
      qosReservedEnabled: featureGates['QOSReserved'] === true,
      memoryQos: featureGates['MemoryQoS'] === true ? { reservationPolicy: input.memoryReservationPolicy } : undefined,
    },
    {
      machine: { cpus, capacity: Object.fromEntries(amounts) },
      reservations: {
        kubeReserved: parseReservation('kubeReserved', input.kubeReserved),
        systemReserved: parseReservation('systemReserved', input.systemReserved),
      },
      node: { apiVersion: 'v1', kind: 'Node', name: 'node1' },
    },
    lifetime,
  );
}

/** Returns the files of all cgroups that have some. */
function filesOf(cgroups: MemoryCgroups): Readonly<Record<string, Amounts>> {
  const entries = cgroups.paths().map((path) => [path, cgroups.files(path)] as const);
  return Object.fromEntries(entries.filter(([, files]) => Object.keys(files).length > 0));
}
