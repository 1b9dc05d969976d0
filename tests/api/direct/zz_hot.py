import time, cProfile, pstats, os
from datetime import datetime, timedelta, UTC
from tests.api.direct.two_ways import TwoWays
from cambist.accounts.api_key import digest
from tests.api.direct.two_ways import Transport

def test_hot(real_matrix, tmp_path):
    both = TwoWays(real_matrix, tmp_path, 1, datetime(2026,11,20,12,tzinfo=UTC), None)
    way = both.ways[0]
    keys=list(both.keys)
    book=way.client.worker_state
    ch=both.chance
    from tests.api.direct.questions import MARKET, COINS
    codes=[c for c in MARKET.codes(datetime(2026,11,20).date()) if c.isalpha() and len(c)==3][:150]
    rest=b" HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nUser-Agent: wrk\r\n\r\n"
    def reqs(form, key, n=20000):
        out=[]
        for _ in range(n):
            a,b=ch.sample(codes,2)
            out.append(b"GET "+form.format(a=a,b=b,k=key,n=ch.randrange(1,10000)).encode()+rest)
        return out
    forms={"W1R":"/fetch-one?from={a}&to={b}&api_key={k}","CVR":"/convert?from={a}&to={b}&amount={n}.25&api_key={k}",
     "W2R":"/fetch-all?from={a}&api_key={k}","FXR":"/fx/quote?pairs={a}USD&api_key={k}"}
    import timeit
    w=way.app.direct.__self__
    from cambist.http.responses import encode_ok
    from cambist.api.direct.question import is_plain_line
    for who in (0,8):
      for name, form in forms.items():
        rs=reqs(form, keys[who], 3000)
        way.respond(rs[0]); way.respond(rs[1])
        rs=[r for r in rs if w.answer(r) is not None] or rs
        def go(fn, args):
            best=9e9
            for _ in range(7):
                t=time.process_time()
                for a in args: fn(a)
                best=min(best,time.process_time()-t)
            return best/len(args)*1e6
        lines=[r.partition(b"\r\n")[0] for r in rs]
        path=lines[0][4:-9].partition(b"?")[0]
        queries=[l[4:-9].partition(b"?")[2] for l in lines]
        route=w._routes[path]
        vals=[route.reader.read(q) for q in queries]
        caller=w._callers.find(vals[0][0], b"")
        now=w._clock()
        print(f"\n{who} {name} all {go(w.answer, rs):.2f}  read {go(route.reader.read, queries):.2f} find {go(lambda v: w._callers.find(v[0], b''), vals):.2f} answer {go(lambda v: route.answer.answer(v, caller.view, now), vals):.2f}"
          f" settle {go(lambda v: w._settlement.settle_directly(caller.principal, route.path, 1, now), vals) if who==0 else 0:.2f} encode {go(lambda v: encode_ok((w._head,b'x'*150,b'',b''),now,b'x'*90), vals):.2f} plain {go(is_plain_line, lines):.2f} nothing {go(lambda v: None, vals):.2f}")
        w.settle()
