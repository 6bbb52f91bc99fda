import { contributionsTo } from '@rxlet/agent-api/testing';
import type { AgentCore } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { containerLogs } from '@rxlet/container-logs';
import { ContainerState, PodSandboxState, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { Container, ContainerState as ApiState, Pod } from '@rxlet/kube-api';
import type { KubeletServerPorts } from '@rxlet/kubelet-server';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { EMPTY } from 'rxjs';

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Time of the last line of the recorded log. */
export const LAST_LINE_MS: number = Date.UTC(2026, 0, 1, 12);
const LINE_PERIOD_MS = 5000;
const LAST_LINE = 163;
/** Numbers whose line on stderr came first. */
const STDERR_FIRST: ReadonlySet<number> = new Set([0, 161, 163]);

const terminated = (id: string): ApiState => ({ terminated: { exitCode: 1, containerID: `containerd://${id}` } });
const waiting = (reason: string): ApiState => ({ waiting: { reason } });
const running: ApiState = { running: {} };

/** The pods of the recorded node: container → its state and the one before. A container whose id has `gone` in it is not in the runtime any more. */
const PODS: Readonly<Record<string, Readonly<Record<string, readonly [state: ApiState, lastState?: ApiState]>>>> = {
  full: { main: [running], side: [running] },
  crash: { c: [terminated('crash'), terminated('crash-gone')] },
  imgerr: { c: [waiting('ImagePullBackOff')] },
  volerr: { c: [waiting('ContainerCreating')] },
  cfgerr: { c: [waiting('CreateContainerConfigError')] },
  cmderr: { c: [terminated('cmderr')] },
  oom: { c: [terminated('oom')] },
  inits: { i1: [terminated('i1')], sc: [running], c: [running] },
  live: { c: [running, terminated('live')] },
  evict: { c: [terminated('evict-gone')] },
  deadline: { c: [terminated('deadline')] },
};

/** Logs that are not empty, by container id. */
const LOGS: Readonly<Record<string, string>> = {
  'full-side': sideLog(),
  'full-main': sideLog(),
  crash: logLine(0, 'stdout', 'boom'),
};

/** Creates the ports of a server on the recorded node. */
export function recordedNode(): KubeletServerPorts & { readonly memory: MemoryFiles } {
  const memory = createMemoryFiles();
  const clock = createVirtualClock({ startMs: LAST_LINE_MS + 1000 });
  const pods = Object.entries(PODS).map(([name, containers]) => podOf(name, containers));
  for (const id of allIds(pods)) memory.put(`/containers/${id}.log`, LOGS[id] ?? '');
  const core = {
    pods: { list: () => pods },
    runtimeStatus: () => ({ containers: [] }),
    runtimePods: () => [],
  } as unknown as AgentCore;
  const runtime = recordedRuntime(pods);
  const parts = containerLogs().setup({
    core,
    runtime,
    clock,
    files: memory.nodeFiles,
    hostFiles: memory.hostFiles,
  } as never);
  memory.putDirectory('/var/log/containers');
  memory.putDirectory('/var/log/pods');
  return {
    memory,
    clock,
    pods: { list: () => pods, changes$: EMPTY },
    events: { list: () => [], events$: EMPTY },
    healthChecks: ['ping', 'syncloop', 'device-plugin'].map((name) => ({ name, check: () => undefined })),
    metrics: () => Promise.resolve({ contentType: METRICS_TYPE, text: '' }),
    // Their content is that of other packages.
    endpoints: [
      ...contributionsTo(parts, httpEndpoints),
      { path: 'stats/summary', produces: 'application/json', isOnReadOnlyPort: true, handle: () => ({ body: '' }) },
      ...['metrics/cadvisor', 'metrics/resource', 'metrics/probes'].map((path) => ({
        path,
        isOnReadOnlyPort: true,
        handle: () => ({ contentType: METRICS_TYPE, body: '' }),
      })),
    ],
    runtime,
    nodeLogs: { hostFiles: memory.hostFiles, directory: '/var/log' },
    checkpointDirectory: '/checkpoints',
    configuration: () => ({}),
    setVerbosity: () => undefined,
    version: '1.36',
  };
}

function podOf(name: string, containers: (typeof PODS)[string]): Pod {
  const statuses = Object.entries(containers).map(([container, [state, lastState]]) => ({
    name: container,
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
    ...(state.running !== undefined && { containerID: `containerd://${name}-${container}` }),
    state,
    ...(lastState !== undefined && { lastState }),
  }));
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { containers: Object.keys(containers).map((container): Container => ({ name: container })) },
    status: { containerStatuses: statuses },
  };
}

function allIds(pods: readonly Pod[]): readonly string[] {
  const ids = pods.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).flatMap(({ containerID, state, lastState }) => [
      containerID,
      state?.terminated?.containerID,
      lastState?.terminated?.containerID,
    ]),
  );
  return ids.flatMap((id) => (id === undefined || id.includes('gone') ? [] : [id.replace('containerd://', '')]));
}

/** The calls of the recorded runtime that endpoints make. */
function recordedRuntime(pods: readonly Pod[]): NonNullable<KubeletServerPorts['runtime']> {
  const known = new Set(allIds(pods));
  const failed = (code: StatusCode, message: string): never => {
    throw new ServiceError(code, message);
  };
  const outputs: Readonly<Record<string, readonly [exitCode: number, stdout: string]>> = {
    ls: [
      0,
      'agnhost\nbin\ncm\ndev\ndown\nempty\netc\nhome\nmem\nproc\nproj\nroot\nsbin\nsec\nsub\nsys\ntmp\nusr\nvar\n',
    ],
    'cat /proc/1/comm': [0, 'sh\n'],
    false: [1, ''],
  };
  const calls = {
    containerStatus: async ({ containerId }: { containerId: string }) =>
      known.has(containerId)
        ? { status: { state: ContainerState.CONTAINER_EXITED, logPath: `/containers/${containerId}.log` } }
        : failed(StatusCode.NotFound, 'not found'),
    listContainers: async ({ filter }: { filter?: { labelSelector?: Record<string, string> } }) => {
      const labels = filter?.labelSelector ?? {};
      const id = `${labels['io.kubernetes.pod.uid']?.replace('uid-', '') ?? ''}-${labels['io.kubernetes.container.name'] ?? ''}`;
      return {
        containers: known.has(id) ? [{ id, labels, createdAt: 0n, state: ContainerState.CONTAINER_RUNNING }] : [],
      };
    },
    listPodSandbox: async () => ({
      items: [{ id: 's', labels: {}, createdAt: 0n, state: PodSandboxState.SANDBOX_READY }],
    }),
    execSync: async ({ cmd }: { cmd: readonly string[] }) => {
      const [exitCode, stdout] =
        outputs[cmd.join(' ')] ??
        failed(
          StatusCode.Unknown,
          'failed to exec in container: failed to start exec "<id-9>": OCI runtime exec failed: exec failed: unable to start container process: exec: "": executable file not found in $PATH: unknown',
        );
      return { exitCode, stdout: Buffer.from(stdout), stderr: new Uint8Array() };
    },
    checkpointContainer: async () => failed(StatusCode.Unimplemented, 'method CheckpointContainer not implemented'),
    exec: async () => failed(StatusCode.Unimplemented, 'not recorded here'),
    attach: async () => failed(StatusCode.Unimplemented, 'not recorded here'),
    portForward: async () => failed(StatusCode.Unimplemented, 'not recorded here'),
  };
  return calls as unknown as NonNullable<KubeletServerPorts['runtime']>;
}

function sideLog(): string {
  const lines: string[] = [];
  for (let number = 0; number <= LAST_LINE; number += 1) {
    const [out, error] = [
      logLine(number, 'stdout', `line ${String(number)}`),
      logLine(number, 'stderr', `err ${String(number)}`),
    ];
    lines.push(...(STDERR_FIRST.has(number) ? [error, out] : [out, error]));
  }
  return lines.join('');
}

function logLine(number: number, stream: string, text: string): string {
  const time = new Date(LAST_LINE_MS - (LAST_LINE - number) * LINE_PERIOD_MS).toISOString().replace('Z', '000001Z');
  return `${time} ${stream} F ${text}\n`;
}
