import { isIP } from 'node:net';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { readKubeletNode } from './kubelet-node.ts';

describe('readKubeletNode', () => {
  it('finds a name, an address and the size of the machine', async () => {
    const { hostname, address, facts } = await readKubeletNode();
    expect(hostname).not.toBe('');
    expect(isIP(address)).not.toBe(0);
    expect(facts.memoryCapacityBytes).toBeGreaterThan(0n);
  });

  it('finds an address without a route table', async () => {
    expect(isIP((await readKubeletNode(createMemoryFiles().hostFiles)).address)).not.toBe(0);
  });
});
