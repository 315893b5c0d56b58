/**
 * Asks for each key's value once, however many want it at the same time, and keeps what it got. A failure is told
 * to everyone who waited for it and not kept.
 */
export function askOnce<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (key) => {
    const known = asked.get(key);
    if (known) return known;
    const answer = ask(key);
    asked.set(key, answer);
    answer.catch(() => asked.delete(key));
    return answer;
  };
}
