/**
 * Asks for each key's value once at a time: whoever asks while an answer is awaited gets that one, and nothing is kept
 * of it afterwards.
 */
export function askTogether<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (key) => {
    const awaited = asked.get(key);
    if (awaited) return awaited;
    const answer = ask(key);
    asked.set(key, answer);
    const forget = (): void => void asked.delete(key);
    answer.then(forget, forget);
    return answer;
  };
}
