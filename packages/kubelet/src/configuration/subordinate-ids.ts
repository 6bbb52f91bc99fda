import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorMessage } from '@rxlet/component-base';
import { type HostFiles, systemErrorCode } from '@rxlet/node-files';

/** User whose subordinate ids are for user namespaces of pods, as for a kubelet. */
const USER = 'kubelet';
const PASSWD = '/etc/passwd';
const MAX_PASSWD_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** Ids of the node that an administrator has set aside. */
export interface SubordinateIds {
  readonly firstId: number;
  readonly count: number;
}

/** Runs `getsubids` with arguments; resolves with its output, `undefined` when the program does not exist. */
export type GetSubIds = (args: readonly string[]) => Promise<string | undefined>;

/** Runs the program of the node. */
export const getSubIds: GetSubIds = async (args) => {
  try {
    return (await promisify(execFile)('getsubids', [...args], { timeout: TIMEOUT_MS })).stdout;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Reads the ids that are set aside for pods: the subordinate ids of the user `kubelet`. `undefined` without that user or the program `getsubids`. Rejects when
 * the user exists and its ids cannot be used: pods must not get ids of others.
 */
export async function readSubordinateIds(
  files: Pick<HostFiles, 'read'>,
  run: GetSubIds = getSubIds,
): Promise<SubordinateIds | undefined> {
  const passwd = await files.read(PASSWD, MAX_PASSWD_BYTES);
  const users = new TextDecoder().decode(passwd?.bytes ?? new Uint8Array()).split('\n');
  if (!users.some((line) => line.startsWith(`${USER}:`))) return undefined;
  const [uids, gids] = await Promise.all([read(run, [USER], 'uids'), read(run, ['-g', USER], 'gids')]);
  if (uids === undefined || gids === undefined) return undefined;
  if (uids !== gids) throw new Error(`mismatched subuids and subgids for user "${USER}"`);
  return parseSubIds(uids);
}

async function read(run: GetSubIds, args: readonly string[], what: string): Promise<string | undefined> {
  try {
    return await run(args);
  } catch (error) {
    throw new Error(`error retrieving additional ${what} for user "${USER}": ${errorMessage(error)}`, { cause: error });
  }
}

/** Parses a line such as `0: kubelet 65536 7208960`. */
function parseSubIds(output: string): SubordinateIds {
  const lines = output.replace(/^\n+|\n+$/g, '').split('\n');
  if (lines.length !== 1)
    throw new Error(`error parsing line ${JSON.stringify(output)}: it must contain only one line`);
  const fields = lines[0]!.trim().split(/\s+/);
  const [firstId, count] = fields.slice(2).map(Number);
  if (fields.length !== 4 || !isId(firstId) || !isId(count)) throw new Error(`invalid line ${JSON.stringify(output)}`);
  return { firstId, count };
}

function isId(number: number | undefined): number is number {
  return number !== undefined && Number.isInteger(number) && number >= 0 && number < 2 ** 32;
}
