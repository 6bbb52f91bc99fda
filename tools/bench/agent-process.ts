/**
 * The process of a measured agent: assembled from the packages as the real one is, on a CRI client over a socket, and commanded by messages (see
 * agent-commands.ts). Its only argument are the options as JSON. It ends when its parent disconnects.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, createAgent } from '@rxlet/agent';
import { readNodeFacts, standalone } from '@rxlet/kubelet';
import { type ClusterConnection, connectCluster } from './cluster-modules.ts';
import { staticPods } from '@rxlet/pod-source';
import { nodeAdmission } from '@rxlet/node-admission';
import { cgroups } from '@rxlet/container-manager';
import { errorMessage, systemClock, systemRandom } from '@rxlet/component-base';
import { releaseMemoryAtRest } from '@rxlet/component-base/release-memory';
import { createPrometheusMetrics } from '@rxlet/component-base/prometheus';
import { containerdHints } from '@rxlet/cri-client/containerd';
import type { RuntimeService } from '@rxlet/cri-api';
import { createCriClient } from '@rxlet/cri-client';
import { containerEventHints } from '@rxlet/pleg';
import { podUid } from '@rxlet/pod-model';
import { Registry } from 'prom-client';
import type {
  AgentCommands,
  AgentUsage,
  AnswerMessage,
  CommandMessage,
  CreateCall,
  MeasuredAgentOptions,
} from './agent-commands.ts';
import { type RunningCpuProfile, startCpuProfile } from './cpu-profile.ts';
import { difference } from './statistics.ts';

const KEPT_CREATES = 1000;
/** Clock ticks a second in /proc, fixed on Linux. */
const TICKS_PER_SECOND = 100;

const {
  endpoint,
  folder,
  hints,
  cgroupRoot,
  hasJournal = true,
  kubeconfig,
  // More than the kubelet's 110, for the largest start-up.
  maxPods = 1000,
} = JSON.parse(process.argv[2] ?? '') as MeasuredAgentOptions;
const registry = new Registry();
const ports = { clock: systemClock, random: systemRandom, metrics: createPrometheusMetrics(registry) };
const client = createCriClient(ports, { endpoint });

const calls: Record<string, number> = {};
const creates: CreateCall[] = [];
let firstStartMs = 0;
let lastStartMs = 0;
const runtime = new Proxy(client.runtime, {
  get(target, name: keyof RuntimeService) {
    const method = target[name].bind(target) as (request: unknown, options: unknown) => unknown;
    return (request: unknown, options: unknown) => {
      calls[name] = (calls[name] ?? 0) + 1;
      if (name === 'createContainer') noteCreate(request);
      const result = method(request, options);
      if (name === 'startContainer') void (result as Promise<unknown>).then(recordStart, () => undefined);
      return result;
    };
  },
});
function noteCreate(request: unknown): void {
  const { sandboxConfig } = request as Parameters<RuntimeService['createContainer']>[0];
  creates.push({ podUid: sandboxConfig?.metadata?.uid ?? '', atMs: systemClock.now() });
  if (creates.length > KEPT_CREATES) creates.shift();
}
function recordStart(): void {
  lastStartMs = systemClock.monotonicNow();
  firstStartMs ||= lastStartMs;
}

function usage(): AgentUsage {
  const { user, system } = process.cpuUsage();
  const rssMb = process.memoryUsage.rss() / 2 ** 20;
  return { cpuMs: (user + system) / 1000, programsMs: programsMs(), threadsMs: threadsMs(), rssMb };
}

/** CPU time of the children that have ended. */
function programsMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
}

function threadsMs(): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const id of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim();
    const [onCpuNs = ''] = readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ');
    totals[name] = (totals[name] ?? 0) + Number(onCpuNs) / 1e6;
  }
  return totals;
}

const hintSources = {
  cri: () => [containerEventHints(runtime)],
  containerd: () => [containerdHints({ clock: systemClock }, { socketPath: endpoint.replace(/^unix:\/\//, '') })],
  none: () => [],
};
let cluster: ClusterConnection | undefined;
async function createMeasuredAgent(): Promise<Agent> {
  const rootDirectory = join(folder, 'root');
  const podLogsDirectory = join(folder, 'logs');
  await mkdir(rootDirectory, { recursive: true });
  await mkdir(podLogsDirectory, { recursive: true });
  if (kubeconfig !== undefined) cluster = await connectCluster(kubeconfig);
  return createAgent(
    {
      ...ports,
      runtime,
      images: client.images,
      hints: hintSources[hints](),
      node: { ...(await readNodeFacts()), name: 'bench', rootDirectory, podLogsDirectory, nodeIps: ['127.0.0.1'] },
    },
    (cluster
      ? cluster.modules(maxPods)
      : standalone([
          staticPods({ path: join(folder, 'manifests'), documents: true }),
          nodeAdmission({ maxPods }),
          // Those of the machine belong to its own agent, and two agents would remove each other's.
          cgroups(cgroupRoot === undefined ? { cgroupsPerQOS: false } : { cgroupRoot }),
        ])
    ).filter(({ name }) => hasJournal || name !== 'journal'),
  );
}

let profile: RunningCpuProfile | undefined;
const commandsOf = (agent: Agent): AgentCommands => ({
  async start(podCount) {
    const { promise: allRun, resolve, reject } = Promise.withResolvers<void>();
    const running = new Set<string>();
    using _subscription = disposable(
      agent.pods.changes$.subscribe(({ pod }) => {
        const { phase, reason, message } = pod.status ?? {};
        if (phase === 'Failed')
          reject(new Error(`the pod ${pod.metadata?.name ?? ''} has failed: ${reason ?? ''} ${message ?? ''}`));
        if (phase === 'Running') running.add(podUid(pod));
        if (running.size >= podCount) resolve();
      }),
    );
    const before = usage();
    const callsBefore = { ...calls };
    const beganMs = systemClock.monotonicNow();
    await agent.start();
    if (podCount > 0) await allRun;
    const runningMs = systemClock.monotonicNow() - beganMs;
    const after = usage();
    return {
      firstStartedMs: firstStartMs - beganMs,
      startedMs: lastStartMs - beganMs,
      runningMs,
      cpuMs: after.cpuMs - before.cpuMs,
      programsMs: after.programsMs - before.programsMs,
      threadsMs: difference(before.threadsMs, after.threadsMs),
      calls: difference(callsBefore, calls),
    };
  },
  usage,
  calls: () => calls,
  creates: () => creates,
  async steps() {
    const { values = [] } = (await registry.getSingleMetric('kubelet_pod_worker_duration_seconds')?.get()) ?? {};
    const counts = values.filter((value) => 'metricName' in value && String(value.metricName).endsWith('_count'));
    return Object.fromEntries(counts.map(({ labels, value }) => [String(labels['operation_type']), value]));
  },
  async startProfile() {
    profile = await startCpuProfile();
  },
  async stopProfile() {
    if (profile === undefined) throw new Error('no profile is being taken');
    return profile.stop();
  },
});

function disposable({ unsubscribe }: { unsubscribe(): void }): Disposable {
  return { [Symbol.dispose]: unsubscribe };
}

async function answer(commands: AgentCommands, { command, args }: CommandMessage): Promise<AnswerMessage> {
  try {
    const run = commands[command] as (...args: readonly unknown[]) => unknown;
    return { value: await run(...args) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

// Not by top-level await: the process is bundled as CommonJS.
async function main(): Promise<void> {
  const agent = await createMeasuredAgent();
  // As the command does.
  releaseMemoryAtRest({ clock: systemClock });
  const commands = commandsOf(agent);
  process.on('message', (message) => {
    void answer(commands, message as CommandMessage).then((result) => process.send?.(result));
  });
  process.once('disconnect', () => {
    void (async () => {
      await agent[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
      await cluster?.[Symbol.asyncDispose]();
      process.exit(0);
    })();
  });
  // Creating an agent calls nothing: connecting is no part of its start.
  await client.runtime.version({ version: '' });
  process.send?.({ value: 'ready' } satisfies AnswerMessage);
}

void main();
