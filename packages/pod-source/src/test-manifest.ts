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
