import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { sleep, systemClock, systemRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import type { PodStatus, Probe } from '@rxlet/kube-api';
import { createProbeRunner, createProber } from '@rxlet/prober';
import type { BenchRun } from './bench-part.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const PROBES = 500;
const MEASURED_SECONDS = 3;

/** Measures 500 probes a second of each kind: CPU of the agent's thread, without that of the probed servers. */
export async function benchProber({ print }: BenchRun): Promise<void> {
  const servers = new Worker(new URL('./probe-servers.ts', import.meta.url));
  const [ports] = (await once(servers, 'message')) as [{ httpGet: number; tcpSocket: number; grpc: number }];
  await withFakeRuntime(async ({ runtime, images }) => {
    await images.pullImage({ image: { image: 'busybox:1.36' } });
    const sandboxConfig = { metadata: { name: 'probed', namespace: 'default', uid: 'probed', attempt: 0 } };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox:1.36' } };
    const { containerId } = await runtime.createContainer({ podSandboxId, sandboxConfig, config });
    await runtime.startContainer({ containerId });

    const kinds: Readonly<Record<string, Probe>> = {
      httpGet: { httpGet: { port: ports.httpGet, path: '/healthz' } },
      tcpSocket: { tcpSocket: { port: ports.tcpSocket } },
      grpc: { grpc: { port: ports.grpc } },
      exec: { exec: { command: ['true'] } },
    };
    for (const [kind, probe] of Object.entries(kinds)) {
      const { cpuMs, probes, failures } = await measure(
        createProbeRunner({ runtime, clock: systemClock }),
        probe,
        containerId,
      );
      const perProbe = ((cpuMs / probes) * 1000).toFixed(0);
      const perSecond = (cpuMs / MEASURED_SECONDS).toFixed(0);
      print(
        `${kind} probes, ${String(PROBES)} a second: ${perSecond} ms CPU a second, ${perProbe} µs each (${String(probes)} runs, ${String(failures)} failed)`,
      );
    }
  });
  await servers.terminate();
}

async function measure(
  runner: ReturnType<typeof createProbeRunner>,
  probe: Probe,
  containerId: string,
): Promise<{ cpuMs: number; probes: number; failures: number }> {
  const startedAt = '2020-01-01T00:00:00Z';
  const app = {
    name: 'app',
    containerID: `bench://${containerId}`,
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
  };
  const containerStatuses = [{ ...app, state: { running: { startedAt } }, started: true }];
  const status: PodStatus = { phase: 'Running', podIP: '127.0.0.1', containerStatuses };
  const events = createEventLog(systemClock);
  let [probes, failures] = [0, 0];
  await using prober = createProber({
    runner: {
      async run(request, signal) {
        const outcome = await runner.run(request, signal);
        probes += 1;
        if (outcome.result !== 'success') failures += 1;
        return outcome;
      },
    },
    podStatus: () => status,
    clock: systemClock,
    random: systemRandom,
    events,
  });
  for (let index = 0; index < PROBES; index += 1) {
    const metadata = { name: `pod-${String(index)}`, namespace: 'default', uid: String(index) };
    const livenessProbe = { ...probe, periodSeconds: 1, timeoutSeconds: 1 };
    prober.addPod({ metadata, spec: { containers: [{ name: 'app', livenessProbe }] } });
  }
  await sleep(systemClock, 2000);
  [probes, failures] = [0, 0];
  const before = process.threadCpuUsage();
  await sleep(systemClock, MEASURED_SECONDS * 1000);
  const { user, system } = process.threadCpuUsage(before);
  return { cpuMs: (user + system) / 1000, probes, failures };
}
