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
    conn, tr = way.connect()
    direct=way.app.direct
    for who in (0,8):
        for name, form in forms.items():
            rs=reqs(form, keys[who])
            way.respond(rs[0]); way.respond(rs[1])
            best=9e9; none=0
            for _ in range(5):
                t=time.process_time()
                for r in rs:
                    if direct(r) is None: none+=1
                best=min(best,time.process_time()-t)
            print(f"\n{who} {name} {best/len(rs)*1e6:.2f} us none={none/len(rs)/5:.2f}")
            if os.environ.get("PROF")==name:
                p=cProfile.Profile(); p.enable()
                for r in rs: direct(r)
                p.disable(); pstats.Stats(p).sort_stats("tottime").print_stats(22)
