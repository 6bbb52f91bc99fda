import { join } from 'node:path';
import { containerdUnavailable } from '@rxlet/test-containerd/private-containerd';
import { registryUnavailable, startPrivateRegistry } from '@rxlet/test-containerd/private-registry';
import { describe, expect, it } from 'vitest';
import { startContainerdNode } from './test-support/containerd-node.ts';
import { expectPullProgress } from './test-support/pull-progress.ts';

const unavailable = containerdUnavailable() ?? registryUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('pull progress on containerd', () => {
  it('shows the bytes of a pull, and the pull that waits for it', async () => {
    await using node = await startContainerdNode();
    await using registry = await startPrivateRegistry({ directory: join(node.folder, 'registry') });
    await using agent = await node.agent();
    await expectPullProgress(agent, registry, 1 << 20);
    expect(agent.process.output()).not.toContain('progress of image pulls');
  });
});
