import { parseImageReference } from './image-reference.ts';

/**
 * Returns the runtimes' spelling of `nginx`, `nginx:latest` and `docker.io/library/nginx:latest`. A tag beside a digest is dropped; text that is not a name
 * stays.
 */
export function canonicalImageName(name: string): string {
  try {
    const { domain, path, tag = 'latest', digest } = parseImageReference(name);
    return digest === undefined ? `${domain}/${path}:${tag}` : `${domain}/${path}@${digest}`;
  } catch {
    // An image's id.
    return name;
  }
}
