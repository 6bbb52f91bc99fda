import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import {
  createNodeProviderProcesses,
  type CredentialProviderConfig,
  parseCredentialProviderConfig,
  type ProviderProcesses,
} from '@rxlet/image-manager';
import { parse } from 'yaml';
import { ConfigError } from './config-error.ts';
import type { CredentialProviderPlaces } from './settings.ts';

/** The programs that know credentials of registries, ready to be asked. */
export interface CredentialProviders {
  readonly processes: ProviderProcesses;
  readonly providers: readonly CredentialProviderConfig[];
  /** Of the text of the configuration, for the metric that shows it. */
  readonly providersHash: string;
}

/**
 * Reads the configuration of credential providers, a file or all of a folder in the order of their names, and looks at each program.
 * @throws ConfigError
 */
export async function readCredentialProviders(places: CredentialProviderPlaces): Promise<CredentialProviders> {
  try {
    const documents = await readDocuments(places.configPath);
    const hash = createHash('sha256');
    for (const { text } of documents) hash.update(text);
    const providers = parseCredentialProviderConfig(documents);
    const processes = createNodeProviderProcesses(places.binDirectory);
    for (const { name } of providers) await processes.check(name);
    return { processes, providers, providersHash: `sha256:${hash.digest('hex')}` };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`--image-credential-provider-config: ${errorMessage(error)}`, { cause: error });
  }
}

const EXTENSIONS = new Set(['.json', '.yaml', '.yml']);

async function readDocuments(path: string): Promise<{ source: string; text: string; value: unknown }[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => EXTENSIONS.has(extname(name))).sort() : [];
  const files = isFolder ? names.map((name) => join(path, name)) : [path];
  if (files.length === 0) throw new ConfigError(`${path} holds no file that ends in .json, .yaml or .yml`);
  return Promise.all(
    files.map(async (source) => {
      const text = await readFile(source, 'utf8');
      try {
        return { source, text, value: parse(text) as unknown };
      } catch (error) {
        throw new ConfigError(`${source} is not valid YAML: ${errorMessage(error).split('\n', 1)[0]!}`);
      }
    }),
  );
}
