import { systemRandom, uuid } from '@rxlet/component-base';
import { buildImage, busyboxFiles } from '@rxlet/test-containerd/build-image';
import type { PrivateRegistry } from '@rxlet/test-containerd/private-registry';
import { expect } from 'vitest';
import type { AgentUnderTest } from './containerd-node.ts';

/** Size of the random content of an image. */
const CONTENT_BYTES = 4 << 20;
/** Bytes of the stalled layer that the registry sends. */
const SENT_BYTES = 2 << 20;

interface ShownPull {
  readonly image: string;
  readonly phase: string;
  readonly position: number;
  readonly progress?: { readonly step: string; readonly currentBytes?: number; readonly totalBytes?: number };
}

/**
 * Runs two pods whose images come slowly, and expects that the debug state shows their pulls while they wait.
 *
 * @param minBytes bytes that the runtime reports of the two MiB that have come, at least
 */
export async function expectPullProgress(
  agent: AgentUnderTest,
  registry: PrivateRegistry,
  minBytes: number,
): Promise<void> {
  const [first, second] = [await registry.push('first:1', newImage()), await registry.push('second:1', newImage())];
  const pulls = async (): Promise<readonly ShownPull[]> => {
    const { exitCode, stdout } = await agent.process.command('debug', 'state');
    // While the agent starts.
    if (exitCode !== 0) return [];
    return (JSON.parse(stdout) as { imagePulls: { pulls: ShownPull[] } }).imagePulls.pulls;
  };
  using stall = registry.stall(/\/blobs\//, SENT_BYTES);
  await agent.write('first', { containers: [{ name: 'main', image: first.reference }] });
  await agent.eventually('the pull', async () => (await pulls()).length === 1);
  await agent.write('second', { containers: [{ name: 'main', image: second.reference }] });

  const shown = await agent.eventually('the bytes of the pull', async () => {
    const found = await pulls();
    return found.length === 2 && (found[0]?.progress?.currentBytes ?? 0) > minBytes && found;
  });
  expect(shown).toMatchObject([
    { image: first.reference, phase: 'pulling', position: 0, progress: { step: 'downloading' } },
    { image: second.reference, phase: 'queued', position: 1 },
  ]);
  const { currentBytes, totalBytes } = shown[0]!.progress!;
  expect(currentBytes).toBeLessThan(SENT_BYTES + 10_000);
  expect(totalBytes).toBeGreaterThan(CONTENT_BYTES);
  expect(shown[1]?.progress).toBeUndefined();

  stall.release();
  await agent.eventually('both pods run', async () => {
    const phases = await Promise.all(['first', 'second'].map(async (name) => (await agent.pod(name))?.status?.phase));
    return phases.every((phase) => phase === 'Running');
  });
  expect(await pulls()).toEqual([]);
}

/** Returns an image whose layer no other image has. */
function newImage(): Uint8Array {
  const content = uuid(systemRandom).repeat(Math.ceil(CONTENT_BYTES / 36));
  return buildImage({
    references: ['any'],
    files: [...busyboxFiles(), { type: 'file', path: 'content', content }],
    defaults: { command: ['sh', '-c', 'sleep 600'] },
  });
}
