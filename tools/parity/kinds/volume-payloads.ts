import { errorMessage, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { ConfigMap, Pod, Secret, Volume } from '@rxlet/kube-api';
import type { DirectoryHandle } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import {
  collectPayload,
  type Payload,
  type PayloadSources,
  setVolumeGroup,
  volumeRoot,
  writePayload,
} from '@rxlet/volume-manager';
import { EMPTY } from 'rxjs';
import type { Answer } from '../vector-kind.ts';

interface VolumePayloadVector {
  readonly input: {
    readonly pod: Pod;
    readonly volume: Volume;
    readonly nodeAllocatable: Readonly<Record<string, string>>;
    readonly configMaps?: readonly ConfigMap[];
    readonly secrets?: readonly Secret[];
    readonly standalone?: boolean;
    readonly tokenError?: string;
    readonly trustAnchorsByName?: Readonly<Record<string, string>>;
    readonly trustAnchorsBySigner?: Readonly<Record<string, string>>;
    readonly podCertificates?: Readonly<Record<string, { readonly key: string; readonly certificates: string }>>;
  };
  readonly want: Outcome;
}

interface Outcome {
  readonly error?: string;
  readonly files?: Readonly<
    Record<string, { readonly mode: string; readonly content: string; readonly fsUser?: number }>
  >;
  readonly writeError?: boolean;
  readonly onDisk?: Readonly<Record<string, { readonly mode: string; readonly uid: number; readonly gid: number }>>;
}

/** Collects the files of a volume and writes them into an empty directory. */
export async function run({ input, want }: VolumePayloadVector): Promise<Answer> {
  return { got: await setUp(input), want };
}

async function setUp(input: VolumePayloadVector['input']): Promise<Outcome> {
  let payload: Payload;
  try {
    payload = await collectPayload(input.pod, input.volume, sourcesOf(input));
  } catch (error) {
    return { error: errorMessage(error) };
  }
  const files = Object.fromEntries(
    [...payload].map(([path, { mode, content, fsUser }]) => [
      path,
      { mode: octal(mode), content: Buffer.from(content).toString('base64'), ...(fsUser !== undefined && { fsUser }) },
    ]),
  );
  try {
    return { files, onDisk: await write(payload, input.pod.spec?.securityContext?.fsGroup) };
  } catch {
    return { files, writeError: true };
  }
}

function sourcesOf(input: VolumePayloadVector['input']): PayloadSources {
  const found = <T extends ConfigMap | Secret>(objects: readonly T[] = [], name: string): T | undefined =>
    objects.find(({ metadata }) => metadata?.name === name && metadata.namespace === input.pod.metadata?.namespace);
  return {
    allocatable: () => input.nodeAllocatable,
    ...(input.standalone !== true && {
      objects: {
        configMap: async (_pod, name) => found(input.configMaps, name),
        secret: async (_pod, name) => found(input.secrets, name),
      },
    }),
    tokens: {
      async podToken({ namespace, serviceAccountName, audiences, expirationSeconds, boundObject }) {
        if (input.tokenError !== undefined) throw new Error(input.tokenError);
        const { apiVersion, kind, name, uid } = boundObject;
        const bound = [apiVersion, kind, name, uid].join(':');
        const token = [`${namespace}/${serviceAccountName}`, audiences.join(), expirationSeconds ?? '-', bound];
        return { token: token.join('|'), expirationTimestamp: '2100-01-01T00:00:00Z' };
      },
    },
    trustBundles: {
      byName: async (name, allowMissing) =>
        input.trustAnchorsByName?.[name] ?? missing(`clustertrustbundle "${name}" not found`, allowMissing),
      bySigner: async (signer, _selector, allowMissing) =>
        input.trustAnchorsBySigner?.[signer] ?? missing(`no clustertrustbundles of signer "${signer}"`, allowMissing),
    },
    podCertificates: {
      changes$: EMPTY,
      credentials: async (_pod, _volume, index) =>
        input.podCertificates?.[String(index)] ?? Promise.reject(new Error('credentials not yet available')),
    },
  };
}

function missing(message: string, isAllowed: boolean): string {
  if (isAllowed) return '';
  throw new Error(message);
}

async function write(payload: Payload, fsGroup: number | undefined): Promise<NonNullable<Outcome['onDisk']>> {
  const { nodeFiles } = createMemoryFiles();
  await nodeFiles.makeDirectory('/volume', 0o777);
  await using parent = (await nodeFiles.openDirectory('/'))!;
  await using volume = (await parent.openDirectory('volume'))!;
  const setGroup = async (): Promise<void> => {
    if (fsGroup === undefined) return;
    await setVolumeGroup(volume, volumeRoot(parent, 'volume'), { fsGroup, readOnly: true });
  };
  await setGroup();
  await writePayload(volume, payload, { clock: createVirtualClock(), random: seededRandom(1) }, setGroup);
  const found: Record<string, { mode: string; uid: number; gid: number }> = {};
  const describe = async (directory: DirectoryHandle, name: string, path: string): Promise<void> => {
    const { kind, mode, uid, gid } = (await directory.stat(name))!;
    if (kind === 'symlink') return;
    found[kind === 'directory' ? `${path}/` : path] = { mode: octal(mode), uid, gid };
    if (kind !== 'directory') return;
    await using below = (await directory.openDirectory(name))!;
    for (const entry of await below.list()) {
      const isVersion = path === '.' && entry.startsWith('..20') ? '..data' : entry;
      await describe(below, entry, path === '.' ? isVersion : `${path}/${entry}`);
    }
  };
  await describe(parent, 'volume', '.');
  return found;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
