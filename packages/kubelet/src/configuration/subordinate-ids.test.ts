import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { readSubordinateIds } from './subordinate-ids.ts';

const USERS = 'root:x:0:0::/root:/bin/sh\nkubelet:x:900:900::/:/bin/false\n';

async function read(outputs: Partial<Record<'uids' | 'gids', string | Error>>, passwd = USERS): Promise<unknown> {
  const { hostFiles } = createMemoryFiles({ files: { '/etc/passwd': passwd } });
  return readSubordinateIds(hostFiles, async (args) => {
    const output = args.includes('-g') ? outputs.gids : outputs.uids;
    if (output instanceof Error) throw output;
    return output;
  });
}

describe('the ids for user namespaces', () => {
  it('come from the subordinate ids of the user kubelet', async () => {
    const output = '0: kubelet 65536 7208960\n';
    expect(await read({ uids: output, gids: output })).toEqual({ firstId: 65_536, count: 7_208_960 });
  });

  it('stay unlimited without that user, or without the program that lists its ids', async () => {
    expect(await read({ uids: 'x', gids: 'y' }, 'root:x:0:0::/root:/bin/sh\n')).toBeUndefined();
    expect(await read({})).toBeUndefined();
  });

  it.each([
    [{ uids: '0: kubelet 1 2', gids: '0: kubelet 1 3' }, 'mismatched subuids and subgids for user "kubelet"'],
    [{ uids: 'a\nb', gids: 'a\nb' }, 'it must contain only one line'],
    [{ uids: '0: kubelet x 2', gids: '0: kubelet x 2' }, 'invalid line "0: kubelet x 2"'],
    [{ uids: '0: kubelet 1', gids: '0: kubelet 1' }, 'invalid line'],
    [{ uids: '', gids: '' }, 'invalid line ""'],
    [{ uids: new Error('exit 1') }, 'error retrieving additional uids for user "kubelet": exit 1'],
  ])('do not come from %o', async (outputs, message) => {
    await expect(read(outputs)).rejects.toThrow(message);
  });
});
