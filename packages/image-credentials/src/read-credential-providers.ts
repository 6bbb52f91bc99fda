import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import { parse } from 'yaml';
import {
  type ConfigDocument,
  CredentialProviderConfigError,
  parseCredentialProviderConfig,
} from './credential-provider-config.ts';
import type { CredentialProvidersOptions } from './image-credentials-module.ts';
import type { NodeProviderProcesses } from './node-provider-processes.ts';

/** Ports of {@link readCredentialProviders}. */
export interface ReadCredentialProvidersPorts {
  readonly files: Pick<HostFiles, 'list' | 'read'>;
  readonly processes: NodeProviderProcesses;
}

/** Maximum size of a configuration file. */
const MAX_CONFIG_BYTES = 10 * 1024 * 1024;
const EXTENSIONS: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/**
 * Reads the configuration of credential providers (kubelet flag `--image-credential-provider-config`), a file or all files of a folder in the order of their
 * names, and checks the program of each.
 *
 * @throws CredentialProviderConfigError, ProviderProcessError, and the errors of `files`
 */
export async function readCredentialProviders(
  { files, processes }: ReadCredentialProvidersPorts,
  path: string,
): Promise<CredentialProvidersOptions> {
  const { kind, entries } = await files.list(path);
  const sources = entries
    .map((entry) => entry.path)
    .filter((source) => kind === 'file' || EXTENSIONS.has(extname(source)))
    .toSorted();
  const hash = createHash('sha256');
  const documents: ConfigDocument[] = [];
  for (const source of sources) {
    const file = await files.read(source, MAX_CONFIG_BYTES);
    if (file === undefined) continue;
    hash.update(file.bytes);
    documents.push({ source, value: parseDocument(source, Buffer.from(file.bytes).toString()) });
  }
  const providers = parseCredentialProviderConfig(documents);
  for (const { name } of providers) await processes.check(name);
  return { processes, providers, providersHash: `sha256:${hash.digest('hex')}` };
}

function parseDocument(source: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    const [problem = ''] = errorMessage(error).split('\n', 1);
    throw new CredentialProviderConfigError('InvalidConfig', `${source} is not valid YAML: ${problem}`);
  }
}
