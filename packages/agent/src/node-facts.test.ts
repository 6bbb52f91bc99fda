import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { totalmem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNodeFacts } from './node-facts.ts';

describe('readNodeFacts', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'facts-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('tells what the kernel says', async () => {
    const facts = await readNodeFacts('');
    expect(facts.memoryCapacityBytes).toBe(BigInt(totalmem()));
    expect(Number(facts.allocatable['cpu'])).toBeGreaterThanOrEqual(1);
    expect(facts.resolvConf).toBeUndefined();
    for (const size of facts.hugePageSizes) expect(size).toMatch(/^\d+(KB|MB|GB)$/);
  });

  it('reads the DNS settings of the node', async () => {
    const path = join(folder, 'resolv.conf');
    await writeFile(path, 'nameserver 192.0.2.53\nsearch corp.example\n');
    expect((await readNodeFacts(path)).resolvConf).toMatchObject({
      nameservers: ['192.0.2.53'],
      searches: ['corp.example'],
    });
  });

  it('names a file that cannot be read, and the way out', async () => {
    await expect(readNodeFacts(join(folder, 'missing'))).rejects.toThrow(/missing.*name another file as resolvConf/);
  });
});
