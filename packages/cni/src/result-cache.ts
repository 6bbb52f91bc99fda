import { join } from 'node:path';
import { errorMessage, type Logger } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import { type Attachment, DEFAULT_INTERFACE } from './attachment.ts';
import { isJsonObject, type JsonObject, parseJsonObject, stringOf } from './json.ts';

/** A stored ADD: what DEL and CHECK must pass to the plugins. */
export interface CachedAttachment {
  readonly networkName: string;
  readonly containerId: string;
  readonly interfaceName: string;
  /** Text of the configuration list that ADD ran. */
  readonly config: string;
  readonly args: NonNullable<Attachment['args']>;
  readonly capabilities: JsonObject;
  /** Result of ADD; `undefined` when ADD has not ended. */
  readonly result: JsonObject | undefined;
}

/** Results of ADD on disk, in libcni's layout, so that other programs and later versions find them. */
export interface ResultCache {
  read(networkName: string, attachment: Attachment): Promise<CachedAttachment | undefined>;
  /** Returns all attachments of a container, of whatever network. */
  ofContainer(containerId: string): Promise<readonly CachedAttachment[]>;
  all(): Promise<readonly CachedAttachment[]>;
  write(entry: CachedAttachment): Promise<void>;
  remove(entry: Pick<CachedAttachment, 'networkName' | 'containerId' | 'interfaceName'>): Promise<void>;
}

const KIND = 'cniCacheV1';
const MAX_BYTES = 4 * 1024 * 1024;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Creates a cache in `<folder>/results`, which must be below a root of `files`. */
export function createResultCache(files: NodeFiles, folder: string, logger: Logger): ResultCache {
  const results = join(folder, 'results');
  const pathOf = ({ networkName, containerId, interfaceName }: Parameters<ResultCache['remove']>[0]): string =>
    join(results, `${networkName}-${containerId}-${interfaceName}`);

  const readPath = async (path: string): Promise<CachedAttachment | undefined> => {
    const bytes = await files.readFile(path, MAX_BYTES);
    if (bytes === undefined) return undefined;
    try {
      return decode(parseJsonObject(Buffer.from(bytes).toString('utf8')));
    } catch (error) {
      // Without it DEL runs with the current configuration.
      logger.warn('cannot read the cached result of a network', { path, error: errorMessage(error) });
      return undefined;
    }
  };
  const all = async (): Promise<readonly CachedAttachment[]> => {
    const names = (await files.list(results)).filter((name) => !name.endsWith('.tmp'));
    const entries = await Promise.all(names.map((name) => readPath(join(results, name))));
    return entries.filter((entry) => entry !== undefined);
  };
  return {
    all,
    read: (networkName, { containerId, interfaceName = DEFAULT_INTERFACE }) =>
      readPath(pathOf({ networkName, containerId, interfaceName })),
    async ofContainer(containerId) {
      const names = (await files.list(results)).filter((name) => name.includes(`-${containerId}-`));
      const entries = await Promise.all(names.map((name) => readPath(join(results, name))));
      return entries.filter((entry) => entry !== undefined).filter((entry) => entry.containerId === containerId);
    },
    async write(entry) {
      await files.makeDirectory(results, FOLDER_MODE);
      await files.replaceFile(pathOf(entry), encode(entry), FILE_MODE);
    },
    remove: (entry) => files.removeFile(pathOf(entry)),
  };
}

function encode({
  containerId,
  config,
  interfaceName,
  networkName,
  args,
  capabilities,
  result,
}: CachedAttachment): string {
  return JSON.stringify({
    kind: KIND,
    containerId,
    config: Buffer.from(config).toString('base64'),
    ifName: interfaceName,
    networkName,
    ...(args.length > 0 && { cniArgs: args }),
    ...(Object.keys(capabilities).length > 0 && { capabilityArgs: capabilities }),
    ...(result !== undefined && { result }),
  });
}

function decode(entry: JsonObject): CachedAttachment {
  if (entry['kind'] !== KIND) throw new Error(`its kind is ${JSON.stringify(entry['kind'])}`);
  const text = (field: string): string => {
    const value = stringOf(entry[field]);
    if (value === undefined) throw new Error(`the field "${field}" is missing`);
    return value;
  };
  const { cniArgs, capabilityArgs, result } = entry;
  const isPair = (pair: unknown): pair is [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
  return {
    containerId: text('containerId'),
    interfaceName: text('ifName'),
    networkName: text('networkName'),
    config: Buffer.from(text('config'), 'base64').toString('utf8'),
    args: Array.isArray(cniArgs) ? cniArgs.filter(isPair) : [],
    capabilities: isJsonObject(capabilityArgs) ? capabilityArgs : {},
    result: isJsonObject(result) ? result : undefined,
  };
}
