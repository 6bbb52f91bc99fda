import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs } from '@rxlet/fake-cri';
import type { ContainerStatus, Probe } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { createProbeRunner } from './create-probe-runner.ts';
import { createPodProbeNetwork } from './pod-probe-network.ts';
import { createProber } from './prober.ts';

/** Probes a container with this script on the fake runtime. Returns its results with their times in seconds. */
async function probe(readinessProbe: Probe, script: object, seconds: number): Promise<string[]> {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const fake = createFakeRuntime({ clock, random, logs: createMemoryLogs() });
  onTestFinished(() => fake[Symbol.asyncDispose]());
  fake.setScript({ container: 'app' }, script);
  await fake.images.pullImage({ image: { image: 'busybox' } });
  const sandbox = { metadata: { name: 'web', namespace: 'default', uid: 'uid-web', attempt: 0 } };
  const { podSandboxId } = await fake.runtime.runPodSandbox({ config: sandbox });
  const config = { metadata: { name: 'app', attempt: 0 }, image: { image: 'busybox' } };
  const { containerId } = await fake.runtime.createContainer({ podSandboxId, sandboxConfig: sandbox, config });
  const { status } = await fake.runtime.podSandboxStatus({ podSandboxId });

  const events = createEventLog(clock);
  const network = createPodProbeNetwork(fake.network);
  const runner = createProbeRunner({ runtime: fake.runtime, clock, network });
  const app: ContainerStatus = {
    name: 'app',
    containerID: `fake://${containerId}`,
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
    started: true,
    state: { running: { startedAt: new Date(clock.now()).toISOString() } },
  };
  const podStatus = () => ({ podIP: status!.network!.ip, containerStatuses: [app] });
  await using prober = createProber({ runner, podStatus, clock, random: { next: () => 0, hex: () => '' }, events });
  const lines: string[] = [];
  const startMs = clock.monotonicNow();
  const log = (text: string): void => void lines.push(`${String((clock.monotonicNow() - startMs) / 1000)} ${text}`);
  events.events$.subscribe(({ message }) => log(message));
  prober.results$.subscribe(({ result }) => log(result));
  await fake.runtime.startContainer({ containerId });
  prober.addPod(testPod({ containers: [{ name: 'app', readinessProbe: { periodSeconds: 1, ...readinessProbe } }] }));
  await clock.advance(seconds * 1000);
  return lines;
}

describe('a pod on the fake runtime', () => {
  it('is ready when it responds to HTTP', async () => {
    const responses = [{ status: 503 }, { afterSeconds: 2, status: 200 }];
    const script = { ports: [{ port: 8080, protocol: 'http', responses }] };
    expect(await probe({ httpGet: { port: 8080, path: '/' } }, script, 5)).toEqual([
      '0 failure',
      '0 Readiness probe failed: HTTP probe failed with statuscode: 503',
      '1 Readiness probe failed: HTTP probe failed with statuscode: 503',
      '2 success',
    ]);
  });

  it('is not ready when its response exceeds the timeout, or without a server', async () => {
    const responses = [{ status: 200, takesSeconds: 2 }];
    const script = { ports: [{ port: 8080, protocol: 'http', responses }] };
    const timeout = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    const [, slow] = await probe({ httpGet: { port: 8080 } }, script, 1.5);
    expect(slow).toMatch(new RegExp(String.raw`^1 Readiness probe failed: Get "http://[\d.]+:8080/": `));
    expect(slow?.endsWith(timeout)).toBe(true);
    const [, none] = await probe({ tcpSocket: { port: 81 } }, script, 0.5);
    expect(none).toMatch(/^0 Readiness probe failed: dial tcp [\d.]+:81: connect: connection refused$/);
  });

  it('is ready when it accepts connections', async () => {
    const script = { ports: [{ port: 5432, protocol: 'tcp' }] };
    expect(await probe({ tcpSocket: { port: 5432 } }, script, 3)).toEqual(['0 failure', '0 success']);
  });

  it('is ready when its gRPC health service is serving', async () => {
    const responses = [{ health: 'NOT_SERVING' }, { afterSeconds: 1, health: 'SERVING' }];
    const script = { ports: [{ port: 9000, protocol: 'grpc', responses }] };
    expect(await probe({ grpc: { port: 9000 } }, script, 3)).toEqual([
      '0 failure',
      '0 Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
      '1 success',
    ]);
  });

  it('is ready when a command in it succeeds in time', async () => {
    const results = [
      { exitCode: 1, stderr: 'loading' },
      { afterSeconds: 1, stdout: 'PONG' },
    ];
    const script = { exec: [{ command: ['redis-cli', 'ping'], results }] };
    expect(await probe({ exec: { command: ['redis-cli', 'ping'] } }, script, 3)).toEqual([
      '0 failure',
      '0 Readiness probe failed: loading',
      '1 success',
    ]);
    expect(await probe({ exec: { command: ['sleep', '5'] } }, script, 1)).toEqual([
      '0 failure',
      '1 Readiness probe failed: command timed out: "sleep 5" timed out after 1s',
    ]);
    expect((await probe({ exec: { command: ['no-such-program'] } }, script, 0.5))[1]).toMatch(
      /^0 Readiness probe errored and resulted in unknown state: .*executable file not found/,
    );
  });
});
