import { isIP } from 'node:net';
import { KubeletConfigurationError, loadConfiguration } from '@rxlet/kubelet-config';
import { createHostFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { type KubeletNode, readKubeletNode } from './kubelet-node.ts';

const read = (args: readonly string[], files = createHostFiles()): Promise<KubeletNode> =>
  readKubeletNode(loadConfiguration({ args, cgroupVersion: 'v2' }), files);

describe('readKubeletNode', () => {
  it('finds a name, an address and the size of the machine', async () => {
    const { hostname, address, facts, credentialProviders } = await read([]);
    expect(hostname).not.toBe('');
    expect(isIP(address)).not.toBe(0);
    expect(facts.memoryCapacityBytes).toBeGreaterThan(0n);
    expect(credentialProviders).toBeUndefined();
  });

  it('finds an address without a route table', async () => {
    expect(isIP((await read([], createMemoryFiles().hostFiles)).address)).not.toBe(0);
  });

  it('rejects credential providers that it cannot read', async () => {
    const both = ['--image-credential-provider-config=/none', '--image-credential-provider-bin-dir=/none'];
    const problem: unknown = await read(both).catch((reason: unknown) => reason);
    expect(problem).toBeInstanceOf(KubeletConfigurationError);
    expect((problem as KubeletConfigurationError).stage).toBe('start');
    expect((problem as Error).message).toContain('--image-credential-provider-config "/none": ENOENT');
  });

  it('rejects one of the two flags of credential providers without the other', async () => {
    for (const flag of ['--image-credential-provider-config=/a', '--image-credential-provider-bin-dir=/a'])
      await expect(read([flag])).rejects.toThrow('need each other');
  });
});
