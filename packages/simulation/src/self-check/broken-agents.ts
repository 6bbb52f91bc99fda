import type { AgentParts } from '@rxlet/agent';
import type { AgentModule } from '@rxlet/agent-api';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { createPodWorkers } from '@rxlet/pod-workers';
import { createRuntimeManager } from '@rxlet/runtime-manager';
import { createStatusManager } from '@rxlet/status-manager';
import { override } from '../world/override.ts';
import { type BrokenAgent, type Request, wrapCall } from './broken-agent.ts';
import { BROKEN_NODES } from './broken-nodes.ts';
import { BROKEN_PARTS } from './broken-parts.ts';

const statuses = (change: (status: PodStatus, pod: Pod) => PodStatus): Partial<AgentParts> => ({
  createStatusManager: (ports, options) =>
    override(createStatusManager(ports, options), (part) => ({
      setPodStatus: (pod, status) => part.setPodStatus(pod, change(status, pod)),
    })),
});

/** Creates a module that does something at its start. */
const atStart = (start: () => void | Promise<void>): AgentModule => ({
  name: 'broken',
  setup: () => ({ start: async () => start() }),
});

/** Agents with one defect each, all of which some seed must expose. */
export const BROKEN_AGENTS: readonly BrokenAgent[] = [
  {
    name: 'starts a second instance after a failed start',
    seeds: 60,
    properties: ['single-instances'],
    assembly: () => {
      const created = new Map<string, Request>();
      return {
        prepare(node) {
          wrapCall(node, 'createContainer', async (call, request, options) => {
            const answer = (await call(request, options)) as { containerId: string };
            created.set(answer.containerId, request);
            return answer;
          });
          wrapCall(node, 'startContainer', async (call, request, options) => {
            try {
              return await call(request, options);
            } catch (error) {
              const first = created.get(request.containerId ?? '');
              const { metadata } = first?.config ?? {};
              const again = {
                ...first,
                config: { ...first?.config, metadata: { ...metadata, attempt: (metadata?.attempt ?? 0) + 1 } },
              };
              const { containerId } = await node.fake.runtime.createContainer(again);
              await call({ containerId }, options);
              throw error;
            }
          });
        },
      };
    },
  },
  {
    name: 'loses the update of a pod',
    workload: 'cluster',
    seeds: 60,
    properties: ['converges'],
    assembly: () => ({
      parts: {
        createPodWorkers: (ports, options) =>
          override(createPodWorkers(ports, options), () => ({ update: () => undefined })),
      },
    }),
  },
  {
    name: 'does not terminate a pod on request',
    seeds: 20,
    properties: ['converges', 'leaves-nothing', 'stays-at-rest', 'single-instances'],
    assembly: () => ({
      parts: {
        createPodWorkers: (ports, options) =>
          override(createPodWorkers(ports, options), () => ({
            terminate: async () => undefined,
            terminateRuntimePod: () => undefined,
          })),
      },
    }),
  },
  {
    name: 'leaves mounts',
    seeds: 20,
    properties: ['converges', 'leaves-nothing'],
    assembly: () => ({ prepare: ({ mounter }) => void (mounter.unmount = async () => undefined) }),
  },
  {
    name: 'leaves cgroups',
    seeds: 20,
    properties: ['converges', 'leaves-nothing'],
    assembly: () => ({ prepare: ({ cgroups }) => void (cgroups.remove = async () => undefined) }),
  },
  {
    name: 'leaves dead containers',
    seeds: 20,
    properties: ['converges', 'leaves-nothing'],
    assembly: () => ({ prepare: (node) => wrapCall(node, 'removeContainer', async () => ({})) }),
  },
  {
    name: 'leaves sandboxes',
    seeds: 20,
    properties: ['converges', 'leaves-nothing', 'single-instances'],
    assembly: () => ({ prepare: (node) => wrapCall(node, 'stopPodSandbox', async () => ({})) }),
  },
  {
    name: 'takes an event for the state',
    seeds: 60,
    properties: ['converges', 'sick-pods-delay-no-other'],
    assembly: () => ({
      // Lists only when an event has come since the last list.
      prepare({ fake }) {
        const { listContainers, getContainerEvents } = fake.runtime;
        let isStale = true;
        let last: Awaited<ReturnType<typeof listContainers>> | undefined;
        fake.runtime.getContainerEvents = (...args) =>
          (async function* () {
            for await (const event of getContainerEvents(...args)) {
              isStale = true;
              yield event;
            }
          })();
        fake.runtime.listContainers = async (...args) => {
          if (isStale || last === undefined) last = await listContainers(...args);
          isStale = false;
          return last;
        };
      },
    }),
  },
  {
    name: 'resets the back-off of a container too early',
    seeds: 40,
    properties: ['back-off-kept', 'calls-are-bounded'],
    assembly: () => ({
      parts: {
        createRuntimeManager: (ports, options) =>
          createRuntimeManager(ports, { ...options, crashLoopBackoff: { initialMs: 1_000, maxMs: 2_000 } }),
      },
    }),
  },
  {
    name: 'confirms a deletion before the containers have ended',
    workload: 'cluster',
    seeds: 40,
    properties: ['confirmed-after-exit', 'terminal-phases-stay'],
    assembly: () => ({
      parts: {
        createStatusManager: (ports, options) =>
          override(createStatusManager({ ...ports, couldHaveRunningContainers: () => false }, options), (part) => ({
            setPodStatus(pod, status) {
              const isNew = part.setPodStatus(pod, status);
              if (pod.metadata?.deletionTimestamp !== undefined) part.terminatePod(pod);
              return isNew;
            },
          })),
      },
    }),
  },
  {
    name: 'gives no grace period',
    seeds: 20,
    properties: ['grace-periods-given'],
    assembly: () => ({
      prepare(node) {
        const { stopContainer } = node.fake.runtime;
        node.fake.runtime.stopContainer = (request, options) => stopContainer({ ...request, timeout: 0n }, options);
      },
    }),
  },
  {
    name: 'stops the containers of the agent before',
    seeds: 20,
    properties: ['healthy-containers-run'],
    assembly: () => ({
      modules: (_, { fake }) => [
        atStart(async () => {
          for (const { id } of fake.snapshot().containers)
            await fake.runtime.stopContainer({ containerId: id, timeout: 30n });
        }),
      ],
    }),
  },
  {
    name: 'numbers instances from 0',
    seeds: 40,
    properties: ['rising-attempts', 'converges', 'no-exception'],
    assembly: () => ({
      prepare(node) {
        wrapCall(node, 'createContainer', (call, request, options) =>
          call(
            { ...request, config: { ...request.config, metadata: { ...request.config?.metadata, attempt: 0 } } },
            options,
          ),
        );
      },
    }),
  },
  {
    name: 'forgets restart counts with each start',
    seeds: 60,
    properties: ['rising-restart-counts', 'converges'],
    assembly: () => ({
      parts: {
        createStatusManager(ports, options) {
          const before = new Map<string, number>();
          return override(createStatusManager(ports, options), (part) => ({
            setPodStatus: (pod, status) =>
              part.setPodStatus(pod, {
                ...status,
                ...(status.containerStatuses && {
                  containerStatuses: status.containerStatuses.map((one) => {
                    const key = `${podUid(pod)}/${one.name}`;
                    if (!before.has(key)) before.set(key, one.restartCount);
                    return { ...one, restartCount: one.restartCount - before.get(key)! };
                  }),
                }),
              }),
          }));
        },
      },
    }),
  },
  {
    name: 'reports dead containers as ready',
    seeds: 40,
    properties: ['converges', 'stays-at-rest'],
    assembly: () => ({
      parts: statuses((status) => ({
        ...status,
        ...(status.conditions && {
          conditions: status.conditions.map((one) =>
            one.type === 'Ready' ? { ...one, status: 'True' as const } : one,
          ),
        }),
      })),
    }),
  },
  {
    name: 'revives a pod that has ended',
    seeds: 40,
    properties: ['terminal-phases-stay', 'converges'],
    assembly: () => {
      const ended = new Set<string>();
      return {
        parts: statuses((status, pod) => {
          if (!isTerminalPhase(status.phase)) return status;
          if (!ended.has(podUid(pod))) {
            ended.add(podUid(pod));
            return status;
          }
          return { ...status, phase: 'Running' };
        }),
      };
    },
  },
  {
    name: 'leaves a timer',
    seeds: 1,
    properties: ['no-leaks'],
    assembly: () => ({ modules: (_, { clock }) => [atStart(() => void clock.setTimer(86_400_000, () => undefined))] }),
  },
  {
    name: 'leaves a watch on files',
    seeds: 1,
    properties: ['no-leaks'],
    assembly: () => ({
      modules: (_, { files }) => [
        atStart(() => {
          files.putDirectory('/etc/leak');
          files.hostFiles.watch('/etc/leak', { onChange: () => undefined, onEnd: () => undefined });
        }),
      ],
    }),
  },
  {
    name: 'lets all pods wait for a sick one',
    seeds: 80,
    properties: ['sick-pods-delay-no-other', 'converges'],
    assembly: () => ({
      parts: {
        createRuntimeManager(ports, options) {
          let last: Promise<unknown> = Promise.resolve();
          return override(createRuntimeManager(ports, options), (part) => ({
            syncPod: (...args) => {
              const next = last.then(() => part.syncPod(...args));
              last = next.catch(() => undefined);
              return next;
            },
          }));
        },
      },
    }),
  },
  {
    name: 'repeats a change for ever',
    seeds: 1,
    properties: ['quiet-at-rest', 'calls-are-bounded'],
    assembly: () => ({
      modules: (life, { clock, fake }) => [
        atStart(() => {
          const repeat = (): void => {
            if (life.signal.aborted) return;
            const [sandbox] = fake.snapshot().sandboxes;
            if (sandbox?.labels[PodLabel.podUid] !== undefined)
              fake.runtime
                .updateContainerResources({ containerId: fake.snapshot().containers[0]?.id ?? '' })
                .catch(() => undefined);
            clock.setTimer(1_000, repeat);
          };
          repeat();
        }),
      ],
    }),
  },
  ...BROKEN_PARTS,
  ...BROKEN_NODES,
];
