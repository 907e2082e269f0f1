/** Maps a call to its endpoint of the platform's API, for counting: `GET /service/:id`. */
import { segmentsOf } from '../api/router.ts';
import { router } from '../api/routes.ts';

const unknown = 'unknown';

export function endpoints(basePath = '/api/v1'): (method: string, path: string) => string {
  return (method, path) => {
    if (!path.startsWith(`${basePath}/`)) return unknown;
    const match = router.match(method, segmentsOf(path.slice(basePath.length)));
    return match.kind === 'found' ? `${method} ${match.route.path}` : unknown;
  };
}
