import { join } from 'node:path';
import type { PullCredential } from '@rxlet/agent-api/images';
import { type Clock, errorMessage, type Logger, withDeadline } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import { type DockerConfigEntry, parseDockercfg, parseDockerConfigJson } from './docker-config.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { warnOfInvalidRegistries } from './pull-secrets.ts';

/** Directories that may hold the node's docker config. */
export interface DockerConfigPlaces {
  /** The agent's root directory, e.g. `/var/lib/kubelet`. */
  readonly rootDirectory: string;
  /** Working directory of the agent. Default: not searched. */
  readonly workingDirectory?: string | undefined;
  /** `$HOME`. Default: not searched. */
  readonly homeDirectory?: string | undefined;
}

/** Docker config of the node, whose credentials every pod may use. */
export interface NodeDockerConfig {
  /** Returns the credentials, cached for {@link DOCKER_CONFIG_LIFETIME_MS}. Rejects only when the signal aborts. */
  keyring(signal?: AbortSignal): Promise<Keyring<PullCredential>>;
}

/** Lifetime of a cached docker config, found or not. */
export const DOCKER_CONFIG_LIFETIME_MS = 300_000;
/** Maximum size of a docker config. */
export const MAX_DOCKER_CONFIG_BYTES = 1_048_576;
/** Timeout of reading the docker config. */
const READ_TIMEOUT_MS = 10_000;

const empty: Keyring<PullCredential> = createKeyring([]);

/**
 * Creates a {@link NodeDockerConfig}. The first readable and valid file counts: `config.json` in the root directory, the working
 * directory, `$HOME/.docker` and `/.docker`; then `.dockercfg` in the root directory, the working directory, `$HOME` and `/`.
 */
export function createNodeDockerConfig(
  ports: { readonly clock: Clock; readonly files: Pick<HostFiles, 'read'>; readonly logger: Logger },
  places: DockerConfigPlaces,
): NodeDockerConfig {
  const { clock, files, logger } = ports;
  const candidates = dockerConfigPaths(places);
  /** Last logged problem of each file, so that it is logged once and not every five minutes. */
  const logged = new Map<string, string>();
  let kept: { readonly keyring: Promise<Keyring<PullCredential>>; readonly untilMs: number } | undefined;

  const logProblem = (file: string, problem: string | undefined, advice = ''): void => {
    if (problem === logged.get(file)) return;
    if (problem === undefined) {
      logged.delete(file);
      return;
    }
    logged.set(file, problem);
    logger.warn(`${file}: ${problem}; ${advice}`, { file });
  };

  const readOne = async ([file, parse]: Candidate): Promise<readonly DockerConfigEntry[] | undefined> => {
    try {
      const found = await files.read(file, MAX_DOCKER_CONFIG_BYTES);
      if (found === undefined) {
        logProblem(file, undefined);
        return undefined;
      }
      if ((found.mode & 0o002) !== 0) throw new Error('every user may write to it');
      const entries = parse(new TextDecoder().decode(found.bytes));
      const isOpen = (found.mode & 0o004) !== 0 && entries.length > 0;
      logProblem(file, isOpen ? 'every user may read the credentials in it' : undefined, 'chmod 0600 it');
      return entries;
    } catch (error) {
      logProblem(file, `this docker config cannot be used: ${errorMessage(error)}`, 'repair or remove it');
      return undefined;
    }
  };

  const read = async (signal: AbortSignal): Promise<Keyring<PullCredential>> => {
    for (const candidate of candidates) {
      const entries = await readOne(candidate);
      signal.throwIfAborted();
      if (entries === undefined) continue;
      const keyring = createKeyring(
        entries.map(({ registry, credential: auth }) => ({
          registry,
          credential: { auth, origin: { kind: 'node' } as const },
        })),
      );
      warnOfInvalidRegistries(logger, candidate[0], keyring.invalidRegistries);
      return keyring;
    }
    return empty;
  };

  const readInTime = async (): Promise<Keyring<PullCredential>> => {
    try {
      return await withDeadline(clock, READ_TIMEOUT_MS, undefined, read);
    } catch (error) {
      logger.warn('the docker config of the node could not be read; images are pulled without it', {
        error: errorMessage(error),
      });
      return empty;
    }
  };

  return {
    async keyring(signal) {
      const nowMs = clock.monotonicNow();
      if (kept === undefined || nowMs >= kept.untilMs) {
        kept = { keyring: readInTime(), untilMs: nowMs + DOCKER_CONFIG_LIFETIME_MS };
      }
      const { keyring } = kept;
      return withDeadline(clock, Infinity, signal, () => keyring);
    },
  };
}

type Candidate = readonly [file: string, parse: (text: string) => readonly DockerConfigEntry[]];

/** Returns the files that may be the docker config, in the order in which a kubelet reads them. */
export function dockerConfigPaths({ rootDirectory, workingDirectory, homeDirectory }: DockerConfigPlaces): Candidate[] {
  const home = homeDirectory === undefined || homeDirectory === '' ? [] : [homeDirectory];
  const own = workingDirectory === undefined ? [rootDirectory] : [rootDirectory, workingDirectory];
  const docker = [...home, '/'].map((folder) => join(folder, '.docker'));
  const json = [...own, ...docker].map((folder): Candidate => [join(folder, 'config.json'), parseDockerConfigJson]);
  const legacy = [...own, ...home, '/'].map((folder): Candidate => [join(folder, '.dockercfg'), parseDockercfg]);
  return [...json, ...legacy];
}
