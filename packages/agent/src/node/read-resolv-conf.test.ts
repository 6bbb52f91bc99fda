import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readResolvConf } from './read-resolv-conf.ts';

describe('readResolvConf', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resolv-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads the DNS settings of the node', async () => {
    const path = join(folder, 'resolv.conf');
    await writeFile(path, 'nameserver 192.0.2.53\nsearch corp.example\n');
    expect(await readResolvConf(path)).toMatchObject({ nameservers: ['192.0.2.53'], searches: ['corp.example'] });
  });

  it('reads nothing when told so', async () => {
    expect(await readResolvConf('')).toBeUndefined();
  });

  it('names a file that cannot be read, and the way out', async () => {
    await expect(readResolvConf(join(folder, 'missing'))).rejects.toThrow(/missing.*name another file as resolvConf/);
  });
});
