import type { KubeClients } from '@rxlet/kube-api/client';
import type { NodeDevices, NodeObject, RuntimeHealth } from '@rxlet/agent-api/node';
import {
  type Clock,
  createLifetime,
  createProblemLog,
  errorMessage,
  jitter,
  type Logger,
  onAbort,
  type Random,
  sleep,
} from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import { follow, whenTrue } from '@rxlet/component-base/streams';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { NEVER, type Observable } from 'rxjs';
import { initialNode } from '../initial-node.ts';
import type { NodeInputs } from '../node-inputs.ts';
import type { NodeSettings } from '../node-status-inputs.ts';
import { createReportPace } from '../report-pace.ts';
import { type ComputedNode, type NodeEvent, setNodeStatus } from '../set-node-status.ts';
import type { NodeStartup } from './node-startup.ts';
import { createNodeLease } from './node-lease.ts';
import { registerNode } from './register-node.ts';
import { createStatusReporter } from './report-status.ts';

/** Ports of {@link createClusterNode}. */
export interface ClusterNodePorts {
  readonly clients: KubeClients;
  readonly inputs: NodeInputs;
  readonly runtime: Pick<RuntimeService, 'updateRuntimeConfig'>;
  readonly health: Pick<RuntimeHealth, 'isKnown' | 'problems'>;
  /** Reports whether nothing keeps pods from running: neither the runtime nor a part of the node. */
  readonly isHealthy: () => boolean;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Measures the start of the node. Default: it is not measured. */
  readonly startup?: NodeStartup | undefined;
  /** Emits when the status must be reported at once. Default: never. */
  readonly changes$?: Observable<unknown> | undefined;
  /** Devices of plugins. Default: none. */
  readonly devices?: Pick<NodeDevices, 'wereUnknown'> | undefined;
}

/** Options of {@link createClusterNode}. */
export interface ClusterNodeOptions {
  readonly settings: NodeSettings;
  /** Whether the Node object is created (`--register-node`). Default true. Its status is reported in any case. */
  readonly registerNode?: boolean | undefined;
  /** Period at which the status is computed (KubeletConfiguration `nodeStatusUpdateFrequency`). Default ten seconds. */
  readonly updatePeriodMs?: number | undefined;
  /** Longest time between two reports (KubeletConfiguration `nodeStatusReportFrequency`). Default five minutes. */
  readonly reportPeriodMs?: number | undefined;
  /** See KubeletConfiguration `nodeLeaseDurationSeconds`. Default 40. */
  readonly leaseDurationSeconds?: number | undefined;
}

/** The Node object of this node in a cluster: registered, reported and leased. */
export interface ClusterNode extends Required<NodeObject>, AsyncDisposable {
  /** Computes the Node object, and then registers it and keeps it up to date. Resolves when it was computed once: `cached` returns nothing without a status then. */
  start(): Promise<void>;
}

const JITTER = 0.04;
/** Pause between two looks at the health of a node that is not ready yet. */
const HEALTH_PERIOD_MS = 100;
/** Longest time that the first report waits for a healthy runtime. */
const SETTLE_MS = 1_000;
/** Time after the start in which a node that becomes ready is reported at once. */
const STARTUP_MS = 120_000;

/** Creates a {@link ClusterNode}. */
export function createClusterNode(ports: ClusterNodePorts, options: ClusterNodeOptions): ClusterNode {
  const { clients, inputs, runtime, events, clock, random, logger } = ports;
  const { settings, updatePeriodMs = 10_000, reportPeriodMs, leaseDurationSeconds: durationSeconds } = options;
  const nodeName = settings.name;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const problems = createProblemLog(logger);
  const watch = clients.main.watch(resources.nodes, { fieldSelector: `metadata.name=${nodeName}` });
  const pace = createReportPace(clock);
  let computed = initialNode(settings);

  const watched = (): Node | undefined => watch.find({ name: nodeName });
  const record = ({ type, reason, message }: NodeEvent): void =>
    events.event({ apiVersion: 'v1', kind: 'Node', name: nodeName }, type, reason, message);
  const readNode = (on: AbortSignal): Promise<Node> =>
    clients.heartbeats.get(resources.nodes, { name: nodeName }, { signal: on });
  const lease = createNodeLease(
    { client: clients.heartbeats, readNode, clock, random, logger },
    { nodeName, durationSeconds },
  );
  const reporter = createStatusReporter(
    { ...ports, client: clients.heartbeats, inputs, watched, setPodCidr, record },
    { nodeName, reportPeriodMs },
  );

  async function setPodCidr(podCidr: string, on: AbortSignal): Promise<void> {
    await runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } }, { signal: on });
  }
  const compute = async (on: AbortSignal): Promise<ComputedNode> => {
    const initial = initialNode(settings);
    const result = setNodeStatus(initial, await inputs.read(initial, on));
    computed = result.node;
    return result;
  };
  const newNode = async (on: AbortSignal): Promise<Node> => {
    const { node, events: changes, errors } = await compute(on);
    changes.forEach(record);
    for (const error of errors) logger.error('cannot set a part of the node status', { error });
    return node;
  };
  const report = async (): Promise<void> => {
    try {
      computed = await reporter.report(signal);
      if (isReady(computed)) ports.startup?.ready();
      problems.ended();
    } catch (error) {
      signal.throwIfAborted();
      problems.failed('cannot report the node status; it is tried again', {
        node: nodeName,
        error: errorMessage(error),
      });
    }
  };
  /** Waits for the next report. A node that becomes healthy soon after the start is reported at once, because pods wait for it. */
  const pause = async (startedMs: number): Promise<void> => {
    const untilMs = clock.monotonicNow() + jitter(random, updatePeriodMs, JITTER);
    if (!ports.isHealthy()) {
      while (clock.monotonicNow() < Math.min(untilMs, startedMs + STARTUP_MS)) {
        await pace.wait(HEALTH_PERIOD_MS, signal);
        if (ports.isHealthy() || pace.isRequested()) return;
      }
    }
    await pace.wait(Math.max(0, untilMs - clock.monotonicNow()), signal);
  };
  /** Waits until it is known what the runtime can do: a node must not turn unready because its agent restarts. */
  const settleHealth = async (): Promise<void> => {
    await whenTrue(ports.health.isKnown, signal);
    const untilMs = clock.monotonicNow() + SETTLE_MS;
    while (ports.health.problems().length > 0 && clock.monotonicNow() < untilMs)
      await sleep(clock, HEALTH_PERIOD_MS, signal);
  };
  const run = async (): Promise<void> => {
    const startedMs = clock.monotonicNow();
    await settleHealth();
    if (options.registerNode ?? true) {
      const { startup, devices } = ports;
      const resetExtendedResources = devices?.wereUnknown === true;
      await registerNode({ client: clients.main, newNode, clock, logger, startup }, signal, { resetExtendedResources });
      lease.nodeExists();
    }
    for (;;) {
      pace.begin();
      await report();
      await pause(startedMs);
    }
  };

  const start = async (): Promise<void> => {
    record({ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
    await compute(signal);
    // An operator may create the Node object.
    const subscription = follow(watch.changes$, {
      task: 'creating the lease of the Node object',
      logger,
      next: () => void (watched() !== undefined && lease.nodeExists()),
    });
    lifetime.defer(() => subscription.unsubscribe());
    const changes = follow(ports.changes$ ?? NEVER, {
      task: 'reporting a change of the node at once',
      logger,
      next: () => pace.request(),
    });
    lifetime.defer(() => changes.unsubscribe());
    watch.start();
    lease.start();
    lifetime.track(run()).catch((error: unknown) => {
      if (!signal.aborted) logger.error('the node status is not reported any more', { error: errorMessage(error) });
    });
  };
  let started: Promise<void> | undefined;

  return {
    start: () => (started ??= lifetime.track(start())),
    cached: () => withResources(watched(), computed),
    changes$: watch.changes$,
    read: (on) => readNode(on ?? signal),
    whenSynced: (on) =>
      new Promise((resolve, reject) => {
        let listener: Disposable | undefined = undefined;
        const end = (settle: () => void): void => {
          listener?.[Symbol.dispose]();
          subscription.unsubscribe();
          settle();
        };
        const subscription = follow(watch.changes$, {
          task: 'waiting for the Node object',
          logger,
          next: () => queueMicrotask(() => end(resolve)),
        });
        listener = onAbort(on, (reason) => end(() => reject(reason)));
      }),
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      await lease[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
    },
  };
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

/** Returns the watched node. One without resources, as an operator creates it, has those that were computed: pods must not be rejected for want of them. */
function withResources(watched: Node | undefined, computed: Node): Node {
  if (watched === undefined) return computed;
  return watched.status?.allocatable === undefined
    ? { ...watched, status: { ...computed.status, ...watched.status } }
    : watched;
}
