/** Default registry, of names such as `nginx` and `library/nginx`. */
const DEFAULT_DOMAIN = 'docker.io';
const MAX_PATH_LENGTH = 255;

const host = String.raw`[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`;
const domain = String.raw`(?:${host}(?:\.${host})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`;
const pathPart = String.raw`[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`;
const path = String.raw`${pathPart}(?:/${pathPart})*`;
const tag = String.raw`[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`;
const algorithm = String.raw`[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*`;
const digest = String.raw`${algorithm}:[0-9a-fA-F]{32,}`;
const grammar = new RegExp(
  String.raw`^(?:(?<domain>${domain})/)?(?<path>${path})(?::(?<tag>${tag}))?(?:@(?<digest>${digest}))?$`,
);
const shapeOfImageId = /^[a-f0-9]{64}$/;

/** Hex digits of the digest algorithms that registries use. */
const digestLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

/** The parts of an image reference, with the registry that a short name implies. */
export interface ImageReference {
  /** Registry with its port, if any: `docker.io`, `localhost:5000`. */
  readonly domain: string;
  /** Repository within the registry: `library/nginx`. */
  readonly path: string;
  readonly tag?: string;
  /** `sha256:<hex>`. */
  readonly digest?: string;
}

/** Error of a text that is not an image reference. */
export class ImageReferenceError extends Error {
  override readonly name = 'ImageReferenceError';
}

/**
 * Parses an image reference by the common grammar of container tools (github.com/distribution/reference): `[domain/]path[:tag][@digest]`.
 * The first part is a domain if it contains `.` or `:`, is `localhost`, or has an upper-case letter; otherwise the image is Docker Hub's.
 *
 * @throws {@link ImageReferenceError}
 */
export function parseImageReference(text: string): ImageReference {
  if (shapeOfImageId.test(text)) {
    throw new ImageReferenceError(`invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`);
  }
  const normalized = normalize(text);
  const remoteName = normalized.slice(normalized.indexOf('/') + 1).split(':', 1)[0]!;
  if (remoteName !== remoteName.toLowerCase()) {
    throw new ImageReferenceError(`invalid reference format: repository name (${remoteName}) must be lowercase`);
  }
  const parts = grammar.exec(normalized)?.groups;
  if (parts === undefined) throw new ImageReferenceError('invalid reference format');
  if (parts['path']!.length > MAX_PATH_LENGTH) {
    throw new ImageReferenceError(`repository name must not be more than ${String(MAX_PATH_LENGTH)} characters`);
  }
  if (parts['digest'] !== undefined) checkDigest(parts['digest']);
  return {
    domain: parts['domain'] ?? '',
    path: parts['path']!,
    ...(parts['tag'] !== undefined && { tag: parts['tag'] }),
    ...(parts['digest'] !== undefined && { digest: parts['digest'] }),
  };
}

/**
 * Returns the reference for the runtime: `:latest` is appended if it has neither tag nor digest; everything else stays as in the pod.
 *
 * @throws {@link ImageReferenceError}
 */
export function applyDefaultTag(image: string): string {
  const { tag, digest } = parseImageReference(image);
  return tag === undefined && digest === undefined ? `${image}:latest` : image;
}

/** Prefixes a short name with the registry. */
function normalize(text: string): string {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  if (!hasDomain) return `${DEFAULT_DOMAIN}/${slash >= 0 ? text : `library/${text}`}`;
  const rest = text.slice(slash + 1);
  if (first !== DEFAULT_DOMAIN && first !== `index.${DEFAULT_DOMAIN}`) return text;
  return `${DEFAULT_DOMAIN}/${rest.includes('/') ? rest : `library/${rest}`}`;
}

function checkDigest(text: string): void {
  const [name = '', hex = ''] = text.split(':');
  const length = digestLengths.get(name);
  if (length === undefined) throw new ImageReferenceError('unsupported digest algorithm');
  if (hex.length !== length) throw new ImageReferenceError('invalid checksum digest length');
  if (hex !== hex.toLowerCase()) throw new ImageReferenceError('invalid checksum digest format');
}

/** Returns the repository of an image with its registry: `docker.io/library/nginx`. @throws ImageReferenceError */
export function repositoryOf(image: string): string {
  const { domain, path } = parseImageReference(image);
  return `${domain}/${path}`;
}
