import { containerKey, type HistoryEvent } from '../history/history.ts';

/** Groups of facts on a timeline. */
export type EventGroup = 'world' | 'agent' | 'runtime' | 'status' | 'phase';

/** A fact as a line of a timeline. */
export interface DescribedEvent {
  readonly group: EventGroup;
  readonly text: string;
  /** UID of the pod that it concerns. */
  readonly uid?: string | undefined;
}

/** Describes a fact. */
export function describeEvent(event: HistoryEvent): DescribedEvent {
  switch (event.kind) {
    case 'step':
      return { group: 'world', text: event.text };
    case 'damaged':
      return { group: 'world', text: `file ${event.path} is damaged: ${event.how}` };
    case 'deleted':
      return { group: 'world', text: `an operator ends all pods, and deletes the file ${event.path}` };
    case 'agent':
      return { group: 'agent', text: `agent ${event.change}` };
    case 'unreported':
      return { group: 'world', text: 'the API shows no end of the pod', uid: event.uid };
    case 'desired':
      return { group: 'world', text: `pod ${event.pod.name} is desired`, uid: event.pod.uid };
    case 'undesired': {
      const grace = event.graceSeconds === undefined ? '' : `, with a grace period of ${String(event.graceSeconds)} s`;
      return { group: 'world', text: `pod is not desired any more${grace}`, uid: event.uid };
    }
    case 'replaced':
      return { group: 'world', text: 'containers may be replaced', uid: event.uid };
    case 'lost':
      return { group: 'world', text: `the runtime loses an instance of ${event.container}`, uid: event.uid };
    case 'container': {
      const { id, attempt, exitCode, uid } = event.container;
      const code = exitCode === undefined ? '' : ` with code ${String(exitCode)}`;
      return {
        group: 'runtime',
        text: `container ${containerKey(event.container)} #${String(attempt)} (${short(id)}) ${event.change}${code}`,
        uid,
      };
    }
    case 'sandbox':
      return { group: 'runtime', text: `sandbox ${short(event.id)} ${event.change}`, uid: event.uid };
    case 'call':
      return {
        group: 'agent',
        text: `calls ${event.rpc} ${short(event.target)}${event.timeoutSeconds === undefined ? '' : ` within ${String(event.timeoutSeconds)} s`}`,
        uid: event.uid,
      };
    case 'pull':
      return { group: 'agent', text: `pull of ${event.image} ${event.change}`, uid: event.uid };
    case 'terminate':
      return { group: 'agent', text: `ends the pod: ${event.reason}`, uid: event.uid };
    case 'answer':
      return {
        group: 'agent',
        text: `${event.call.rpc} ${short(event.call.target)}: ${event.error ?? 'done'}`,
        uid: event.call.uid,
      };
    case 'status': {
      const { uid, phase, reason, isReady, restartCounts } = event.status;
      const counts = Object.entries(restartCounts).map(([name, count]) => `${name} ${String(count)}`);
      return {
        group: 'status',
        text: `status ${phase}${reason === undefined ? '' : ` (${reason})`}${isReady ? ', ready' : ''}; restarts: ${counts.join(', ')}`,
        uid,
      };
    }
    case 'allocated': {
      const pods = Object.entries(event.pods).map(
        ([uid, { cpuMillis, memoryBytes }]) => `${uid} ${String(cpuMillis)}m ${mebibytes(memoryBytes)}`,
      );
      return { group: 'agent', text: `allocates ${pods.join(', ')}` };
    }
    case 'devices':
      return {
        group: 'agent',
        text: `gives ${event.devices.join(', ')} to container ${short(event.container)}`,
        uid: event.uid,
      };
    case 'cpus': {
      const cpus = Object.entries(event.assigned).map(([key, list]) => `${list.join()} to ${key}`);
      return { group: 'agent', text: `assigns the CPUs ${cpus.join('; ')}` };
    }
    case 'memory': {
      const shares = Object.entries(event.assigned).map(
        ([key, { bytes, numaNodes }]) => `${mebibytes(bytes)} on ${numaNodes.join()} to ${key}`,
      );
      return { group: 'agent', text: `assigns memory of NUMA nodes: ${shares.join('; ')}` };
    }
    case 'claim-user':
      return { group: 'world', text: `claim ${event.claim} is ${event.change}`, uid: event.uid };
    case 'claim':
      return { group: 'agent', text: `claim ${event.claim} is ${event.change} with ${event.device}` };
    case 'claims-given':
      return {
        group: 'agent',
        text: `gives claims ${event.claims.join(', ') || 'none'} to container ${short(event.container)}`,
        uid: event.uid,
      };
    case 'pressure':
      return { group: 'world', text: `pressure: ${event.conditions.join(', ') || 'none'}` };
    case 'power':
      return { group: 'world', text: POWER[event.change] };
    case 'confirmed':
      return { group: 'status', text: 'deletion is confirmed', uid: event.uid };
    case 'pod-write': {
      const { method, pod, boundTo, precondition, code } = event;
      const condition = precondition === undefined ? '' : `, if its UID is ${precondition}`;
      return {
        group: 'agent',
        text: `${method} of a pod of ${boundTo}${condition}: ${code === undefined ? 'no answer' : String(code)}`,
        uid: pod,
      };
    }
    case 'quiet':
      return { group: 'phase', text: 'all faults end, but a permanent one' };
    case 'rest':
      return { group: 'phase', text: 'the world is as desired' };
    case 'emptied':
      return { group: 'phase', text: 'all pods are removed' };
  }
}

const POWER = {
  shutdown: 'the machine begins to shut down',
  cancelled: 'the shutdown is cancelled',
  off: 'the machine is off',
} as const;

const mebibytes = (bytes: number): string => `${String(Math.round(bytes / 2 ** 20))}Mi`;

const ID = /^[0-9a-f]{32,}$/;

/** Returns the beginning of an id of the runtime. */
function short(id: string): string {
  return ID.test(id) ? id.slice(0, 8) : id;
}
