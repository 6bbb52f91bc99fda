import { PassThrough } from 'node:stream';
import { seededRandom, systemClock } from '@rxlet/component-base';
import type { FakeRuntime } from '@rxlet/fake-cri';
import type { Container, Pod } from '@rxlet/kube-api';
import { PodLabel } from '@rxlet/pod-model';
import type { TerminalSize } from '@rxlet/streaming/client';
import { recordingTerminal, type RecordingTerminal, runningPod, startFakeAgent } from '../test-support.ts';
import type { Console } from './console.ts';
import type { StreamCommandContext } from './stream-context.ts';

/** A console whose input is given and whose output is kept. */
export interface TestConsole extends Console {
  readonly stdin: PassThrough;
  readonly output: () => string;
  readonly errors: () => string;
  /** Changes of raw mode. */
  readonly rawModes: boolean[];
  resize(size: TerminalSize): void;
}

/** Creates a {@link TestConsole}. */
export function createTestConsole({ isTerminal = false }: { isTerminal?: boolean } = {}): TestConsole {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr'): PassThrough =>
    new PassThrough().on('data', (chunk: Buffer) => (texts[name] += chunk.toString()));
  const rawModes: boolean[] = [];
  const listeners = new Set<() => void>();
  let current: TerminalSize | undefined = isTerminal ? { width: 80, height: 24 } : undefined;
  return {
    stdin: new PassThrough(),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    output: () => texts.stdout,
    errors: () => texts.stderr,
    isTerminal,
    rawModes,
    setRawMode: (isRaw) => void rawModes.push(isRaw),
    size: () => current,
    onResize(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    resize(size) {
      current = size;
      for (const listener of listeners) listener();
    },
  };
}

/** An agent with one pod, `web`, on a fake runtime. */
export interface StreamBench extends AsyncDisposable {
  readonly context: StreamCommandContext & { readonly terminal: RecordingTerminal; readonly console: TestConsole };
  readonly fake: FakeRuntime;
  readonly pod: Pod;
}

/** Starts a {@link StreamBench}. The container `main` serves HTTP on port 80, and `sh` is a shell that reads its input. */
export async function startStreamBench(
  console: TestConsole = createTestConsole(),
  shell: Partial<Container> = {},
): Promise<StreamBench> {
  const { createFakeRuntime } = await import('@rxlet/fake-cri');
  const fake = createFakeRuntime({ clock: systemClock, random: seededRandom(1) });
  const agent = await startFakeAgent({ runtime: fake.runtime });
  const base = runningPod('web');
  const containers: Container[] = [
    { name: 'main', ports: [{ containerPort: 80, name: 'http' }] },
    { name: 'sh', stdin: true, ...shell },
  ];
  const pod: Pod = { ...base, spec: { ...base.spec, containers } };
  agent.put(pod);
  const uid = pod.metadata!.uid!;
  const labels = { [PodLabel.podUid]: uid };
  const sandboxConfig = { metadata: { name: 'web-node1', namespace: 'default', uid, attempt: 0 }, labels };
  const { podSandboxId } = await fake.runtime.runPodSandbox({ config: sandboxConfig });
  for (const { name, stdin = false, tty = false } of containers) {
    const image = name === 'main' ? 'nginx' : 'busybox';
    await fake.images.pullImage({ image: { image } });
    const { containerId } = await fake.runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name, attempt: 0 },
        image: { image },
        labels: { ...labels, [PodLabel.containerName]: name },
        command: name === 'sh' ? ['sh'] : [],
        stdin,
        tty,
      },
    });
    await fake.runtime.startContainer({ containerId });
  }
  const terminal = recordingTerminal();
  return {
    context: { connection: agent.connection, terminal, console, clock: systemClock },
    fake,
    pod,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
}
