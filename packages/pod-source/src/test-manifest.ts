// Loaded before any test: the parser is otherwise loaded with the first manifest, which takes time that a virtual clock does not wait for.
import './parse-yaml.ts';

/** A manifest of a pod with one container `app`. */
export function testManifest(name: string, image = 'registry.example/app:1'): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
    - name: app
      image: ${image}
`;
}
