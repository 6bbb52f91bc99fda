import type { Fault } from '@rxlet/fake-kube';
import type { RpcName } from '@rxlet/fake-cri';
import type { Choices } from '../workload/choices.ts';
import type { Damage, EventFaultRates, Step } from '../workload/step.ts';
import type { Workload } from '../workload/workloads.ts';
import { rejectingPlaces, throwingPlaces } from './throwing-parts.ts';

/** A kind of faults, which a seed enables or not. */
export interface FaultKind {
  readonly name: string;
  /** Whether there must be an API server. */
  readonly needsApi?: boolean;
  /** The only workload that it concerns. Default: all. */
  readonly workload?: Workload;
  /** Makes a step of the kind. */
  make(choose: Choices, podNames: readonly string[]): Step;
}

const READS: readonly RpcName[] = [
  'podSandboxStatus',
  'listPodSandbox',
  'containerStatus',
  'listContainers',
  'status',
  'imageStatus',
];
const CHANGES: readonly RpcName[] = [
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
];
/** RPCs with a deadline: a pull or an exec that hangs never ends. */
const LIMITED: readonly RpcName[] = [...READS, ...CHANGES];

const runtimeFault =
  (rpcs: readonly RpcName[], action: string | ((choose: Choices) => string)) =>
  (choose: Choices): Step => ({
    do: 'fault',
    rpc: choose.pick(rpcs),
    failpoint: `${choose.pick(['', '', '1*off->', '3*off->'])}${String(choose.integer(1, 4))}*${typeof action === 'string' ? action : action(choose)}`,
    place: choose.pick(['before', 'after']),
  });
const eventFault =
  (rates: (probability: number, choose: Choices) => EventFaultRates) =>
  (choose: Choices): Step => ({
    do: 'event-faults',
    faults: rates(choose.pick([0.1, 0.5, 1]), choose),
    ms: choose.integer(1_000, 120_000),
  });
const MATCHES: readonly NonNullable<Fault['match']>[] = [
  { resource: 'pods' },
  { resource: 'pods', verb: 'get' },
  { resource: 'pods', verb: 'patch' },
  { resource: 'pods', verb: 'delete' },
  { resource: 'pods', verb: 'create' },
  { resource: 'pods', verb: 'watch' },
  { resource: 'pods', verb: 'list' },
  { resource: 'configmaps' },
  { resource: 'secrets' },
  { resource: 'nodes' },
  { resource: 'leases' },
  { resource: 'serviceaccounts' },
  {},
];
const apiFault =
  (action: (choose: Choices) => NonNullable<Fault['action']>) =>
  (choose: Choices): Step => ({
    do: 'api-fault',
    fault: {
      match: choose.pick(MATCHES),
      times: choose.integer(1, 5),
      delayMs: choose.pick([0, 0, 3_000]),
      action: action(choose),
    },
  });
const apiError = (
  reason: 'InternalError' | 'TooManyRequests' | 'ServiceUnavailable' | 'Timeout' | 'Conflict' | 'Unauthorized',
) => apiFault(() => ({ type: 'error', reason }));
const damage = (choose: Choices): Damage => ({
  how: choose.pick(['lose', 'tear', 'flip']),
  file: choose.integer(0, 999) / 1_000,
  place: choose.integer(0, 999) / 1_000,
});
const kill = (
  choose: Choices,
  calls: number,
  more: { callsOfStart?: number; damage?: Damage; isAfterCall?: boolean; rpc?: RpcName } = {},
): Step => ({
  do: 'kill',
  calls,
  pauseMs: choose.pick([0, choose.integer(1, 300), choose.integer(1, 20_000)]),
  callsOfStart: 0,
  ...more,
});
const outageMs = (choose: Choices): number =>
  choose.pick([choose.integer(1, 500), choose.integer(1, 60_000), choose.integer(1, 150_000)]);

/** All kinds of faults. */
export const FAULT_KINDS: readonly FaultKind[] = [
  {
    name: 'runtime-error',
    make: runtimeFault([...LIMITED, 'pullImage', 'execSync'], (choose) =>
      choose.pick(['error(internal: injected)', 'error(unavailable: injected)', 'error(resource_exhausted: injected)']),
    ),
  },
  {
    name: 'runtime-not-found',
    make: runtimeFault(['createContainer', 'startContainer'], 'error(not_found: injected)'),
  },
  { name: 'runtime-hang', make: runtimeFault(LIMITED, 'hang') },
  {
    name: 'runtime-delay',
    make: runtimeFault(
      [...LIMITED, 'pullImage', 'execSync'],
      (choose) => `delay(${String(choose.pick([100, 3_000, 30_000]))})`,
    ),
  },
  { name: 'lost-reply', make: runtimeFault(CHANGES, 'lost') },
  { name: 'runtime-outage', make: (choose) => ({ do: 'outage', ms: outageMs(choose) }) },
  {
    name: 'lost-container',
    make: (choose, names) => ({ do: 'lose', name: choose.pick(names), index: choose.integer(0, 2) }),
  },
  { name: 'failed-sandbox', make: (choose, names) => ({ do: 'fail-sandbox', name: choose.pick(names) }) },
  { name: 'events-dropped', make: eventFault((drop) => ({ drop })) },
  { name: 'events-duplicated', make: eventFault((duplicate) => ({ duplicate })) },
  { name: 'events-reordered', make: eventFault((reorder) => ({ reorder })) },
  { name: 'events-replayed', make: eventFault((replay) => ({ replay })) },
  { name: 'events-delayed', make: eventFault((_, choose) => ({ delayMs: choose.pick([50, 700, 5_000]) })) },
  { name: 'kill', make: (choose) => kill(choose, 0) },
  {
    name: 'kill-at-call',

    make: (choose) => kill(choose, choose.integer(1, choose.pick([10, 150]))),
  },
  {
    name: 'kill-after-call',

    make: (choose) => kill(choose, choose.integer(1, choose.pick([10, 150])), { isAfterCall: true }),
  },
  {
    name: 'kill-after-change',
    make: (choose) => kill(choose, choose.integer(1, 3), { isAfterCall: true, rpc: choose.pick(CHANGES) }),
  },
  {
    name: 'power-failure',
    make: (choose) => ({ do: 'power-failure', pauseMs: choose.integer(0, 60_000) }),
  },
  {
    name: 'other-version',
    make: (choose) =>
      kill(choose, 0, { damage: { ...damage(choose), how: choose.pick(['unknown-fields', 'other-version']) } }),
  },
  {
    name: 'kill-in-start',

    make: (choose) => kill(choose, choose.integer(0, 20), { callsOfStart: choose.integer(1, 60) }),
  },
  {
    name: 'damaged-file',

    make: (choose) => kill(choose, choose.integer(0, 20), { damage: damage(choose) }),
  },
  {
    name: 'damaged-assignments',
    workload: 'extended',
    make: (choose) => kill(choose, choose.integer(0, 20), { damage: { ...damage(choose), isOfAssignments: true } }),
  },
  { name: 'stop', make: (choose) => ({ do: 'stop', pauseMs: choose.integer(0, 5_000) }) },
  {
    name: 'exception',
    make: (choose) => ({
      do: 'throw',
      place: choose.pick(throwingPlaces.filter((one) => !rejectingPlaces.has(one))),
      times: choose.pick([1, 2, 30]),
    }),
  },
  { name: 'full-disk', make: (choose) => ({ do: 'disk', code: 'ENOSPC', isOnlyWriting: true, ms: outageMs(choose) }) },
  {
    name: 'bad-disk',
    make: (choose) => ({
      do: 'disk',
      code: choose.pick(['EIO', 'EROFS']),
      isOnlyWriting: choose.chance(0.5),
      ms: choose.integer(1, 20_000),
    }),
  },
  {
    name: 'failing-mounts',
    make: (choose) => ({ do: 'mounts', operation: choose.pick(['mount', 'unmount']), times: choose.integer(1, 8) }),
  },
  {
    name: 'clock-jump',
    make: (choose) => ({
      do: 'clock',
      jumpMs: choose.pick([-1, 1]) * choose.pick([2_000, 3_600_000, 400 * 86_400_000]),
    }),
  },
  {
    name: 'api-error',
    needsApi: true,
    make: (choose) =>
      apiError(choose.pick(['InternalError', 'TooManyRequests', 'ServiceUnavailable', 'Timeout']))(choose),
  },
  { name: 'api-conflict', needsApi: true, make: apiError('Conflict') },
  { name: 'api-unauthorized', needsApi: true, make: apiError('Unauthorized') },
  { name: 'api-lost-request', needsApi: true, make: apiFault(() => ({ type: 'drop', when: 'before' })) },
  { name: 'api-lost-reply', needsApi: true, make: apiFault(() => ({ type: 'drop', when: 'after' })) },
  { name: 'api-hang', needsApi: true, make: apiFault((choose) => ({ type: choose.pick(['hang', 'silent']) })) },
  { name: 'api-garbage', needsApi: true, make: apiFault(() => ({ type: 'garbage' })) },
  { name: 'api-delay', needsApi: true, make: apiFault(() => ({ type: 'delay' })) },
  { name: 'api-outage', needsApi: true, make: (choose) => ({ do: 'api-outage', ms: outageMs(choose) }) },
  { name: 'watches-cut', needsApi: true, make: () => ({ do: 'watches', how: 'cut' }) },
  { name: 'watches-frozen', needsApi: true, make: () => ({ do: 'watches', how: 'freeze' }) },
  { name: 'watches-expired', needsApi: true, make: () => ({ do: 'watches', how: 'compact' }) },
  { name: 'watches-rewound', needsApi: true, make: () => ({ do: 'watches', how: 'rewind' }) },
  {
    name: 'stale-lists',
    needsApi: true,
    make: (choose) => ({ do: 'stale', revisions: choose.pick([3, 15, 60]), ms: choose.integer(1_000, 120_000) }),
  },
  { name: 'node-gone', needsApi: true, make: (choose) => ({ do: 'node-gone', ms: outageMs(choose) }) },
];
