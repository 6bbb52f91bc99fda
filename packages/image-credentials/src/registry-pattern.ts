import { parseRegistryLocation, type RegistryLocation, splitHost } from './registry-url.ts';

/**
 * Pattern of registries: a docker config key or an entry of a credential provider's `matchImages`, such as `gcr.io`, `gcr.io/project`,
 * `*.dkr.ecr.*.amazonaws.com`, `registry.example.com:5000/team`. A host matches if it has as many parts between dots as the pattern and each part matches,
 * where `*` matches any characters. Ports must be equal, and the path must start with the pattern's.
 */
export interface RegistryPattern {
  matches(image: RegistryLocation): boolean;
}

/** Parses a pattern without a scheme; `undefined` for an invalid one. */
export function parseRegistryPattern(text: string): RegistryPattern | undefined {
  const pattern = parseRegistryLocation(text);
  if (pattern === undefined) return undefined;
  const { parts, port } = splitHost(pattern.host);
  return {
    matches(image) {
      const host = splitHost(image.host);
      return (
        host.port === port &&
        host.parts.length === parts.length &&
        image.path.startsWith(pattern.path) &&
        parts.every((part, index) => matchesGlob(part, host.parts[index]!))
      );
    },
  };
}

/** Matches in linear time, because authors of pull secrets choose the pattern. */
function matchesGlob(glob: string, text: string): boolean {
  // A bracket would open a class of characters in a kubelet; it can only come from an IPv6 address without a port, which hence matches nothing.
  if (glob.includes('[')) return false;
  const pieces = glob.split('*');
  const first = pieces.shift()!;
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let rest = text.slice(first.length, text.length - last.length);
  for (const piece of pieces) {
    const index = rest.indexOf(piece);
    if (index < 0) return false;
    rest = rest.slice(index + piece.length);
  }
  return true;
}
