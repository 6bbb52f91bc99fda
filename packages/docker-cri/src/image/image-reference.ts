import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** An image reference in full. */
export interface ImageReference {
  /** Registry and path: `docker.io/library/busybox`. */
  readonly repository: string;
  /** Tag; `undefined` when only a digest is given. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const COMPONENT = String.raw`[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*`;
const HOST = String.raw`[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d+)?`;
const REFERENCE = new RegExp(
  String.raw`^((?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*)(?::([\w][\w.-]{0,127}))?(?:@([a-z0-9]+:[0-9a-f]{32,}))?$`,
);
const IMAGE_ID = /^(?:sha256:)?[0-9a-f]{64}$/;

/** Reports whether a text is the whole id of an image, with or without its algorithm. */
export function isImageId(text: string): boolean {
  return IMAGE_ID.test(text);
}

/** Completes a reference: the default registry is docker.io, the default path `library/`, the default tag `latest`. Throws InvalidArgument for a malformed one. */
export function parseImageReference(text: string): ImageReference {
  const [, name, tag, digest] = REFERENCE.exec(text) ?? [];
  if (name === undefined) {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `failed to parse image reference ${JSON.stringify(text)}: invalid reference format`,
    );
  }
  return { repository: withRegistry(name), tag: tag ?? (digest === undefined ? 'latest' : undefined), digest };
}

/** Returns a name of Docker's, such as `busybox:1.36` or `busybox@sha256:…`, in full; `undefined` for `<none>`. */
export function fullName(name: string): string | undefined {
  if (name.includes('<none>')) return undefined;
  const { repository, tag, digest } = parseImageReference(name);
  return digest === undefined ? `${repository}:${tag!}` : `${repository}@${digest}`;
}

function withRegistry(name: string): string {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  if (first === 'localhost' || /[.:]/.test(first)) return name;
  return slash < 0 ? `docker.io/library/${name}` : `docker.io/${name}`;
}
