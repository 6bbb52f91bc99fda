import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import {
  type ContainerConfig,
  ContainerConfigSchema,
  type ContainerStatus,
  ContainerStatusSchema,
  ImageSchema,
  type PodSandboxConfig,
  PodSandboxConfigSchema,
  type PodSandboxStatus,
  PodSandboxStatusSchema,
} from '@rxlet/cri-api';
import type { Image } from '../image.ts';

/** State that outlives a runtime: everything but running programs and their memory. */
export interface SavedState {
  readonly sandboxes: readonly SavedSandbox[];
  readonly containers: readonly SavedContainer[];
  readonly images: readonly Image[];
}

export interface SavedSandbox {
  readonly config: PodSandboxConfig;
  readonly status: PodSandboxStatus;
  /** Unset on the host's network and when it is not ready. */
  readonly ip: string | undefined;
}

export interface SavedContainer {
  readonly podSandboxId: string;
  readonly config: ContainerConfig;
  readonly status: ContainerStatus;
  readonly image: Image;
}

/** Version of the format; a file of another version is not read. */
const VERSION = 1;

/** Formats the state as JSON, messages in the JSON of protobuf. */
export function formatSavedState(state: SavedState): string {
  return JSON.stringify({
    version: VERSION,
    images: state.images.map(imageToJson),
    sandboxes: state.sandboxes.map(({ config, status, ip }) => ({
      config: json(PodSandboxConfigSchema, config),
      status: json(PodSandboxStatusSchema, status),
      ip,
    })),
    containers: state.containers.map(({ podSandboxId, config, status, image }) => ({
      podSandboxId,
      config: json(ContainerConfigSchema, config),
      status: json(ContainerStatusSchema, status),
      image: imageToJson(image),
    })),
  });
}

/** Parses the text of {@link formatSavedState}; throws an Error that describes the problem. */
export function parseSavedState(text: string): SavedState {
  const state = objectOf(JSON.parse(text), 'the state');
  if (state['version'] !== VERSION)
    throw new Error(`its version is ${JSON.stringify(state['version'])}, not ${String(VERSION)}`);
  const sandboxes = listOf(state, 'sandboxes').map((sandbox): SavedSandbox => {
    const ip = sandbox['ip'];
    return {
      config: message(PodSandboxConfigSchema, sandbox, 'config'),
      status: message(PodSandboxStatusSchema, sandbox, 'status'),
      ip: ip === undefined ? undefined : stringOf(ip, 'ip'),
    };
  });
  const containers = listOf(state, 'containers').map((container): SavedContainer => ({
    podSandboxId: stringOf(container['podSandboxId'], 'podSandboxId'),
    config: message(ContainerConfigSchema, container, 'config'),
    status: message(ContainerStatusSchema, container, 'status'),
    image: imageFromJson(objectOf(container['image'], 'image')),
  }));
  const ids = new Set(sandboxes.map(({ status }) => status.id));
  for (const { config, status } of [...sandboxes, ...containers]) {
    if (config.metadata === undefined) throw new Error(`"${status.id}" has no metadata`);
  }
  for (const { podSandboxId, status } of containers) {
    if (!ids.has(podSandboxId)) throw new Error(`container "${status.id}" has no sandbox`);
  }
  return { sandboxes, containers, images: listOf(state, 'images').map(imageFromJson) };
}

function imageToJson(image: Image): JsonValue {
  const { entrypoint, cmd, env, user, files } = image;
  return {
    message: json(ImageSchema, image.message),
    entrypoint: [...entrypoint],
    cmd: [...cmd],
    env: [...env],
    user,
    files: { ...files },
  };
}

function imageFromJson(json: JsonObject): Image {
  const image = message(ImageSchema, json, 'message');
  const strings = (name: string): string[] => arrayOf(json, name).map((value) => stringOf(value, name));
  return {
    id: image.id,
    message: image,
    entrypoint: strings('entrypoint'),
    cmd: strings('cmd'),
    env: strings('env'),
    // Files of earlier versions have neither.
    user: json['user'] === undefined ? '' : stringOf(json['user'], 'user'),
    files: Object.fromEntries(
      Object.entries(objectOf(json['files'] ?? {}, 'files')).map(([path, text]) => [path, stringOf(text, 'files')]),
    ),
  };
}

function json<T extends DescMessage>(schema: T, plain: MessageInitShape<T>): JsonValue {
  return toJson(schema, create(schema, plain));
}

type JsonObject = Readonly<Record<string, unknown>>;

function message<T extends DescMessage>(schema: T, json: JsonObject, name: string): MessageShape<T> {
  return fromJson(schema, objectOf(json[name], name) as JsonValue);
}

function listOf(json: JsonObject, name: string): JsonObject[] {
  return arrayOf(json, name).map((value) => objectOf(value, name));
}

function arrayOf(json: JsonObject, name: string): unknown[] {
  const value = json[name];
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

function objectOf(value: unknown, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is not an object`);
  return value as JsonObject;
}

function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Error(`${name} is not a string`);
  return value;
}
