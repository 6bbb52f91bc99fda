import { join } from 'node:path';
import { buildImage, BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { containerdMajorVersion, containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { registryUnavailable, startPrivateRegistry } from '@rxlet/test-containerd/private-registry';
import { describe, expect, it } from 'vitest';
import { startContainerdNode, untilStopped } from './test-support/containerd-node.ts';

const unavailable =
  containerdUnavailable() ??
  registryUnavailable() ??
  (containerdMajorVersion() < 2 ? 'containerd before 2.1 has no image volumes' : undefined);
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('image volumes on containerd', () => {
  it('pulls an image by its digest and mounts it', async () => {
    await using node = await startContainerdNode();
    await using registry = await startPrivateRegistry({ directory: join(node.folder, 'registry') });
    const files = [{ type: 'file', path: 'content', content: 'of an image' }] as const;
    const { digestReference } = await registry.push('data:1', buildImage({ references: ['any'], files, defaults: {} }));
    await using agent = await node.agent();
    await agent.write('volume', {
      volumes: [{ name: 'data', image: { reference: digestReference, pullPolicy: 'IfNotPresent' } }],
      containers: [
        {
          name: 'main',
          image: BUSYBOX_REFERENCE,
          command: ['sh', '-c', `cat /data/content; touch /data/x 2>&1; ${untilStopped()}`],
          volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
        },
      ],
    });
    const output = await agent.eventually('its output', async () => {
      const { exitCode, stdout } = await agent.process.command('logs', 'volume-node1');
      return exitCode === 0 && stdout.includes('touch') && stdout;
    });
    expect(output).toContain('of an image');
    expect(output).toContain('Read-only file system');
    const status = await agent.status('volume', 'main');
    expect(status?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/data');
  });
});
